import { compiled } from './compiled.ts'

/* Runs before every test file of the projects that start what is compiled. */

compiled('server/main.js')
