// Writes the OpenAPI document of the compiled server to dist/openapi.json, for the linter and the client's types.
import { writeFileSync } from 'node:fs'
import { ROUTES } from '../../dist/server/app.js'
import { openApiDocument } from '../../dist/server/openapi/document.js'

writeFileSync('dist/openapi.json', `${JSON.stringify(openApiDocument(ROUTES), null, 2)}\n`)
