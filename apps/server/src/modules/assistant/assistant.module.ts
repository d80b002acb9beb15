import { assistantContract } from '@thingwright/contracts/assistant.contract'
import type { RouteContract } from '@thingwright/contracts/route'
import type { LlmSettings } from '../../lib/config.ts'
import type { Actor, Ctx } from '../../lib/context.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { EntityFinder, PlannedCall, Tool } from '../../lib/tools/tools.ts'
import type { Inbox } from '../notifications/index.ts'
import { sweepApprovals } from './approvals.repo.ts'
import { type Approvals, createApprovals } from './approvals.service.ts'
import { assistantRoutes } from './assistant.routes.ts'
import { type AssistantService, createAssistantService } from './assistant.service.ts'
import { sweepChats } from './chats.repo.ts'
import type { Engine } from './engine.ts'
import { createEngines } from './engines.ts'
import type { LlmPort } from './llm.port.ts'
import { createToolRegistry, type ToolRegistry } from './registry.ts'
import { sweepReplies } from './replies.repo.ts'
import { createReplies } from './replies.ts'
import { assistantSettingsRoutes } from './settings.routes.ts'
import { createAssistantSettings } from './settings.service.ts'
import { createAssistantUsage } from './usage.service.ts'

export interface AssistantModule extends ModuleParts {
  service: AssistantService
  approvals: Approvals
  registry: ToolRegistry
  routes: BoundRoute[]
  /** Whether the company switched the assistant off. */
  isOff(tenantId: string): Promise<boolean>
  /** Lets conversations, approvals and lines of usage go that are old; hourly. */
  sweep(now: number): Promise<void>
  /** Ends the replies that are being made, in order. */
  stop(): Promise<void>
}

export interface AssistantModuleDeps {
  database: Database
  secretKey: string
  logger: Logger
  tools: readonly Tool[]
  finders: readonly EntityFinder[]
  llm: LlmPort
  /** LLM_BASE_URL and what belongs to it. */
  installation: LlmSettings | null
  outboundAllow: readonly string[]
  inbox: Inbox
  /** Routes of the API, called as somebody from inside. */
  callApi(ctx: Ctx, call: PlannedCall): Promise<unknown>
  currentActor(tenantId: string, actor: Actor): Promise<Actor | null>
  timeZone(tenantId: string): Promise<string>
  companyName(tenantId: string): Promise<string>
  /** Somebody was refused something that belongs into the operation log. */
  onRefused(
    ctx: Ctx,
    contract: RouteContract,
    outcome: { result: 'refused' | 'failed'; code: string; params: object },
  ): void
  now(): number
  /** How long a reply outlives its connection (tests). */
  graceMs?: number | undefined
  /** Stands in for the built-in engine (tests). */
  builtin?: Engine
}

export function createAssistantModule(deps: AssistantModuleDeps): AssistantModule {
  const { database, logger, timeZone, now } = deps
  const registry = createToolRegistry(deps.tools, deps.finders)
  const settings = createAssistantSettings({
    database,
    secretKey: deps.secretKey,
    installation: deps.installation,
    llm: deps.llm,
    outboundAllow: deps.outboundAllow,
    timeZone,
    inbox: deps.inbox,
  })
  const usage = createAssistantUsage({ database, timeZone })
  const isOff = async (tenantId: string) => (await settings.effective(tenantId, now())).engine === 'off'
  const replies = createReplies(deps.graceMs === undefined ? {} : { graceMs: deps.graceMs })
  const approvals = createApprovals({
    database,
    logger,
    registry,
    callApi: deps.callApi,
    timeZone,
    enabled: async tenantId => !(await isOff(tenantId)),
    now,
  })
  const service = createAssistantService({
    database,
    logger,
    registry,
    replies,
    settings,
    engines: createEngines({
      database,
      settings,
      llm: deps.llm,
      callApi: deps.callApi,
      companyName: deps.companyName,
      builtin: deps.builtin,
      now,
    }),
    approvals,
    callApi: deps.callApi,
    currentActor: deps.currentActor,
    timeZone,
    onRefused: (ctx, tool, permission) =>
      deps.onRefused(ctx, assistantContract.chat, {
        result: 'refused',
        code: 'permission.denied',
        params: { permission, tool },
      }),
  })

  async function sweep(time: number): Promise<void> {
    await database.withSystemScope('maintenance', async scope => {
      await sweepApprovals(scope, time)
      await sweepChats(scope, time)
      await sweepReplies(scope, time)
    })
  }
  async function stop(): Promise<void> {
    await replies.close()
    deps.llm.close()
  }

  return {
    service,
    approvals,
    registry,
    routes: [...assistantRoutes({ service, approvals }), ...assistantSettingsRoutes({ settings, usage })],
    isOff,
    sweep,
    sweeps: [{ name: 'clearing old conversations', run: sweep }],
    stop,
    // Its answers are streams: they end before HTTP waits for what is open.
    runs: [{ name: 'assistant', phase: 'streams', stop }],
  }
}
