export { toNodeHandler } from 'h3'
export { type AppOptions, createApp } from './app.ts'
