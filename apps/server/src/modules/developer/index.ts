export type { FinishedCall } from './calls/call-recorder.ts'
export { createDeveloperModule, createProgramSignIn, type DeveloperModule, type Programs } from './developer.module.ts'
export { apiKeyFinder, developerTools } from './developer.tools.ts'
