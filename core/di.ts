/** The only file that knows the container library. `reflect-metadata` must be loaded before it. */
import 'reflect-metadata'

export { container, type InjectionToken, inject, injectable } from 'tsyringe'
