import { inBackground } from '../../lib/background.ts'
import { untilFewer } from '../../lib/batches.ts'
import type { Actor } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import type { ModuleParts } from '../../lib/module.ts'
import type { Inbox } from '../notifications/index.ts'
import type { TriggerActionPort } from './action.port.ts'
import { commandAction, notifyAction, type PostWebhook, type SendCommand, webhookAction } from './actions-built-in.ts'
import { createDryRuns, type DryRunDeps } from './dry-run.ts'
import { DryRunThreads } from './dry-run-threads.ts'
import type { ObjectFactsPort } from './object-facts.port.ts'
import { createTriggerPresets } from './presets.service.ts'
import { type PresetTransfer, presetTransfer } from './presets.transfer.ts'
import { forgetRuns } from './task.repo.ts'
import { TriggerActions } from './trigger-actions.ts'
import type { TriggerAlarms } from './trigger-alarms.port.ts'
import { TriggerCatalogue } from './trigger-catalogue.ts'
import { createTriggerTransfer, type TriggerTransfer } from './trigger-transfer.ts'
import * as repo from './triggers.repo.ts'
import { triggerPresetsRoutes, triggersRoutes } from './triggers.routes.ts'
import { createTriggersService, type TriggersService } from './triggers.service.ts'

export interface TriggersDeps extends Pick<DryRunDeps, 'past'> {
  database: Database
  alarms: TriggerAlarms
  inbox: Inbox
  box: CryptoBox
  outboundAllow: readonly string[]
  /** The rights of a trigger's owner now; null: he may no longer act; undefined: no member made it. */
  ownerNow(tenantId: string, loginId: string): Promise<Actor | null | undefined>
  sendCommand: SendCommand
  postWebhook: PostWebhook
  /** Actions that other areas bring along. */
  actions?: readonly TriggerActionPort[]
  logger: Logger
  now(): number
}

export interface TriggersModule extends ModuleParts {
  service: TriggersService
  /** What is judged; the reader of the journal asks it. */
  catalogue: TriggerCatalogue
  /** Triggers and presets to and from the file of a company. */
  transfer: TriggerTransfer & { presets: PresetTransfer }
  /** Makes known how another area does its kind of action. */
  offer(port: TriggerActionPort): void
  /** Makes known how cards, gateways or cameras are now. */
  objects(port: ObjectFactsPort): void
  routes: BoundRoute[]
}

/** Lines of the log that are removed in one transaction. */
const FORGOTTEN_AT_ONCE = 5_000

export function createTriggersModule(deps: TriggersDeps): TriggersModule {
  const { database } = deps
  const catalogue = new TriggerCatalogue(deps)
  const changed = (ids: readonly string[]) => database.news.tell('triggers.changed', { ids })
  const service = createTriggersService({ ...deps, onChanged: changed })
  const actions = new TriggerActions({
    ...deps,
    ports: [
      notifyAction(database, deps.inbox),
      commandAction(deps.sendCommand, deps.now),
      webhookAction(deps.postWebhook),
      ...(deps.actions ?? []),
    ],
  })
  const objects = new Map<ObjectFactsPort['kind'], ObjectFactsPort>()
  return {
    service,
    catalogue,
    offer: port => actions.offer(port),
    objects: port => void objects.set(port.kind, port),
    transfer: { ...createTriggerTransfer({ ...deps, onChanged: changed }), presets: presetTransfer },
    routes: [
      ...triggersRoutes(service, createDryRuns({ ...deps, triggers: service, threads: new DryRunThreads(), objects })),
      ...triggerPresetsRoutes(createTriggerPresets({ database, triggers: service })),
    ],
    search: [
      {
        kind: 'trigger',
        permission: 'trigger:read',
        find: async (ctx, q, limit) =>
          (await service.list(ctx, { q, limit })).items.map(({ id, name, description }) => ({
            id,
            title: name,
            subtitle: description,
            link: `/manage/user/center/trigger?trigger=${id}`,
          })),
      },
    ],
    owned: [
      {
        kind: 'trigger',
        count: repo.countOwned,
        async handOver(scope, from, to) {
          const ids = await repo.handOver(scope, from, to)
          if (ids.length > 0) scope.afterCommit(() => changed(ids))
          return ids.length
        },
      },
    ],
    dependents: [
      {
        kind: 'trigger',
        // Of people who may see a part of the company only: who hands over need not see the triggers.
        ownerChanged: (scope, ctx, { deviceIds, from, to, toPath, goesAlong, leaves }) =>
          scope.wholeCompany('hand-over', async () => {
            const moved = goesAlong && to !== null ? await repo.goAlong(scope, deviceIds, from, to) : []
            const paused = await repo.pauseOfOthers(scope, deviceIds, toPath, leaves)
            if (paused.length > 0)
              await deps.alarms.clearOf(
                scope,
                ctx,
                paused.map(({ id }) => id),
              )
            const ids = [...moved, ...paused.map(({ id }) => id)]
            if (ids.length > 0) scope.afterCommit(() => changed(ids))
            return paused
          }),
      },
    ],
    hears: {
      'triggers.changed': ({ ids }) => catalogue.changed(ids),
      'rights.changed': () => catalogue.rightsChanged(),
      'trigger_actions.due'({ paused }) {
        actions.wake()
        if (paused.length > 0) inBackground('telling of paused triggers', actions.tellPaused(paused))
      },
    },
    sweeps: [
      {
        name: 'the log of triggers',
        run: now =>
          untilFewer(FORGOTTEN_AT_ONCE, limit =>
            database.withSystemScope('triggers', scope => forgetRuns(scope, new Date(now), limit)),
          ),
      },
    ],
    runs: [{ name: 'actions of triggers', phase: 'work', start: () => actions.start(), stop: () => actions.stop() }],
  }
}
