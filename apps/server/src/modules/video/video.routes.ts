import { videoChannelsContract as contract, videoAccountsContract } from '@thingwright/contracts/video.contract'
import type { Database } from '../../lib/database/database.ts'
import { type BoundRoute, bind } from '../../lib/http.ts'
import type { StreamRelay } from './stream-relay.ts'
import type { VideoAccountsService } from './video-accounts.service.ts'
import type { VideoChannelsService } from './video-channels.service.ts'
import type { VideoControlService } from './video-control.service.ts'
import { exportChannels } from './video-export.ts'

export function videoRoutes(parts: {
  database: Database
  accounts: VideoAccountsService
  channels: VideoChannelsService
  control: VideoControlService
  relay: StreamRelay
}): BoundRoute[] {
  const { database, accounts, channels, control, relay } = parts
  return [
    bind(contract.ofAlarm, (ctx, { params }) => control.picturesOfAlarm(ctx, params.id)),
    bind(videoAccountsContract.list, ctx => accounts.list(ctx)),
    bind(videoAccountsContract.create, (ctx, { body }) => accounts.create(ctx, body)),
    bind(videoAccountsContract.update, (ctx, { params, body }) => accounts.update(ctx, params.id, body)),
    bind(videoAccountsContract.test, (ctx, { params }) => accounts.test(ctx, params.id)),
    bind(videoAccountsContract.sync, (ctx, { params }) => accounts.sync(ctx, params.id)),
    bind(videoAccountsContract.remove, (ctx, { params }) => accounts.remove(ctx, params.id)),
    bind(videoAccountsContract.addDevice, (ctx, { body }) => accounts.addDevice(ctx, body)),
    bind(contract.list, (ctx, { query }) => channels.list(ctx, query)),
    bind(contract.export, (ctx, { query }) => exportChannels(database, channels, ctx, query)),
    bind(contract.counts, ctx => channels.counts(ctx)),
    bind(contract.get, (ctx, { params }) => channels.get(ctx, params.id)),
    bind(contract.create, (ctx, { body }) => channels.create(ctx, body)),
    bind(contract.update, (ctx, { params, body }) => channels.update(ctx, params.id, body)),
    bind(contract.remove, (ctx, { params, query }) => channels.remove(ctx, params.id, query.vendor === '1')),
    bind(contract.live, (ctx, { params, body }) => channels.live(ctx, params.id, body)),
    bind(contract.playback, (ctx, { params, body }) => channels.playback(ctx, params.id, body)),
    bind(contract.recordings, (ctx, { params, query }) => channels.recordings(ctx, params.id, query)),
    bind(contract.stream, (ctx, { params, query }) => relay.open(ctx, params.id, query.u)),
    bind(contract.turn, (ctx, { params, body }) => control.turn(ctx, params.id, body)),
    bind(contract.halt, (ctx, { params }) => control.halt(ctx, params.id)),
    bind(contract.arm, (ctx, { params, body }) => control.arm(ctx, params.id, body.armed)),
    bind(contract.presets, (ctx, { params }) => control.presets(ctx, params.id)),
    bind(contract.addPreset, (ctx, { params, body }) => control.addPreset(ctx, params.id, body.name)),
    bind(contract.goPreset, (ctx, { params }) => control.goPreset(ctx, params.id, params.presetId)),
    bind(contract.removePreset, (ctx, { params }) => control.removePreset(ctx, params.id, params.presetId)),
    bind(contract.snapshot, (ctx, { params }) => control.snapshot(ctx, params.id)),
    bind(contract.snapshots, (ctx, { params, query }) => control.snapshots(ctx, params.id, query)),
    bind(contract.picture, (ctx, { params }) => control.picture(ctx, params.id)),
  ]
}
