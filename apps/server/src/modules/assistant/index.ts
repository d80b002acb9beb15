export { createToolContext } from './tool-context.ts'
