import { tryPages } from '../support/documented-commands.ts'

tryPages('starting')
