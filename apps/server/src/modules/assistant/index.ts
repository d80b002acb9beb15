export { type AssistantModule, createAssistantModule } from './assistant.module.ts'
export { LlmError, type LlmPort } from './llm.port.ts'
export { mcpRoutes } from './mcp/mcp.routes.ts'
export { createToolContext } from './tool-context.ts'
