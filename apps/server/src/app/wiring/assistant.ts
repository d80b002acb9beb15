import { createOpenAiLlm } from '../../adapters/llm/openai/openai-llm.ts'
import { createAssistantModule, mcpRoutes, outgoingTexts } from '../../modules/assistant/index.ts'
import type { ApiCaller } from '../api-caller.ts'
import { FINDERS, TOOLS } from '../assistant-tools.ts'
import type { ContainerOptions } from '../container-options.ts'
import type { CompanyModules } from './company.ts'
import type { Foundations } from './foundations.ts'
import type { PeopleModules } from './people.ts'

/** Whoever uses the others' routes as somebody: the assistant, and outside programs over MCP. */
export function createAssistantModules(
  options: ContainerOptions,
  base: Foundations,
  { company, notifications }: CompanyModules,
  { audit, currentActor }: PeopleModules,
  api: ApiCaller,
) {
  const { database, secretKey, now } = base
  const outboundAllow = options.outboundAllow ?? []
  const timeZone = async (tenantId: string) => (await company.service.get(tenantId)).timeZone
  const assistant = createAssistantModule({
    database,
    secretKey,
    logger: base.logOf('assistant'),
    tools: TOOLS,
    finders: FINDERS,
    llm: createOpenAiLlm({ outboundAllow }),
    installation: options.llm ?? null,
    inbox: notifications.inbox,
    outboundAllow,
    callApi: api.call,
    currentActor,
    timeZone,
    companyName: async tenantId => (await company.service.get(tenantId)).name,
    onRefused: audit.refusals.note,
    graceMs: options.replyGraceMs,
    now,
  })
  const mcp = {
    routes: mcpRoutes({
      registry: assistant.registry,
      isOff: assistant.isOff,
      callApi: api.call,
      outgoing: tenantId => outgoingTexts(database, tenantId),
      timeZone,
      onRefused: audit.refusals.note,
      version: options.version ?? 'unknown',
      publicUrl: options.publicUrl ?? null,
      logger: base.logOf('mcp'),
      now,
    }),
  }
  return { assistant, mcp }
}
