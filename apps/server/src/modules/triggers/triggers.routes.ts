import { triggerPresetsContract } from '@thingwright/contracts/trigger-presets.contract'
import { triggersContract as contract } from '@thingwright/contracts/triggers.contract'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { DryRuns } from './dry-run.ts'
import type { TriggerPresets } from './presets.service.ts'
import type { TriggersService } from './triggers.service.ts'

export function triggersRoutes(service: TriggersService, dryRuns: DryRuns): BoundRoute[] {
  return [
    bind(contract.create, (ctx, { body }) => service.create(ctx, body)),
    bind(contract.list, (ctx, { query }) => service.list(ctx, query)),
    bind(contract.dryRun, (ctx, { body }) => dryRuns.run(ctx, body)),
    bind(contract.batch, (ctx, { body }) => service.batch(ctx, body)),
    bind(contract.get, (ctx, { params }) => service.get(ctx, params.id)),
    bind(contract.update, (ctx, { params, body }) => service.update(ctx, params.id, body)),
    bind(contract.remove, (ctx, { params }) => service.remove(ctx, params.id)),
    bind(contract.enable, (ctx, { params }) => service.setEnabled(ctx, params.id, true)),
    bind(contract.disable, (ctx, { params }) => service.setEnabled(ctx, params.id, false)),
    bind(contract.signal, (ctx, { params, body }) => service.signal(ctx, params.id, body)),
    bind(contract.runs, (ctx, { params, query }) => service.runs(ctx, params.id, query)),
  ]
}

export function triggerPresetsRoutes(presets: TriggerPresets): BoundRoute[] {
  const of = triggerPresetsContract
  return [
    bind(of.list, (ctx, { query }) => presets.list(ctx, query)),
    bind(of.create, (ctx, { body }) => presets.create(ctx, body)),
    bind(of.update, (ctx, { params, body }) => presets.update(ctx, params.id, body)),
    bind(of.apply, (ctx, { params, body }) => presets.apply(ctx, params.id, body)),
    bind(of.remove, (ctx, { params }) => presets.remove(ctx, params.id)),
  ]
}
