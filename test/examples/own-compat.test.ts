// the example's own test, against the sources
import '../../examples/plugin-tests/compat.ts'
