import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import type { SearchSource } from '../../lib/found.ts'
import type { BoundRoute } from '../../lib/http.ts'
import type { Logger } from '../../lib/log.ts'
import { defineModule, type ModuleParts } from '../../lib/module.ts'
import type { TriggersModule } from '../triggers/index.ts'
import * as accountsRepo from './accounts.repo.ts'
import { type CameraAlarms, createCameraAlarms } from './camera-alarms.ts'
import { snapshotAction } from './snapshot-action.ts'
import { createStreamRelay, type StreamRelay } from './stream-relay.ts'
import { createVendors } from './vendors.ts'
import { connectVideoDemo } from './video.demo.ts'
import type { MediaFetch, VideoFactory } from './video.port.ts'
import { videoRoutes } from './video.routes.ts'
import { VIDEO_TOOLS } from './video.tools.ts'
import { createVideoAccounts, type VideoAccountsService } from './video-accounts.service.ts'
import { createVideoChannels, type VideoChannelsService } from './video-channels.service.ts'
import { createVideoControl, type PictureStore, type VideoControlService } from './video-control.service.ts'

export interface VideoNeeds {
  database: Database
  logger: Logger
  objectStore: PictureStore
  video: VideoFactory
  videoMedia: MediaFetch
  triggers: Pick<TriggersModule, 'offer'>
  now(): number
  outboundAllow: readonly string[]
  seal(purpose: string): CryptoBox
}

export interface VideoModule extends ModuleParts {
  accounts: VideoAccountsService
  channels: VideoChannelsService
  control: VideoControlService
  /** Started in processes with the worker role. */
  alarms: CameraAlarms
  relay: StreamRelay
  routes: BoundRoute[]
}

export function createVideoModule(needs: VideoNeeds): VideoModule {
  const { database, logger, outboundAllow } = needs
  const vendors = createVendors(database, needs.video, needs.seal('video-accounts'))
  const accounts = createVideoAccounts({ database, vendors, outboundAllow })
  const relay = createStreamRelay({ database, box: needs.seal('video-streams'), media: needs.videoMedia })
  const channels = createVideoChannels({ database, vendors, relay, outboundAllow })
  const control = createVideoControl({ database, vendors, store: needs.objectStore, logger })
  const alarms = createCameraAlarms({ database, vendors, store: needs.objectStore, logger, now: needs.now })
  needs.triggers.offer(snapshotAction({ database, control }, needs.now))
  return {
    accounts,
    channels,
    control,
    alarms,
    relay,
    routes: videoRoutes({ database, accounts, channels, control, relay }),
    connectDemo: (ctx, demo) => connectVideoDemo({ database, accounts }, ctx, demo),
    connectionNames: [
      {
        system: 'ezviz',
        list: async scope =>
          (await accountsRepo.list(scope))
            .filter(({ simulated }) => !simulated)
            .map(({ name, baseUrl: address }) => ({ name, address })),
      },
    ],
    search: [found(channels)],
    runs: [
      { name: 'cameras that turn', phase: 'work', start() {}, stop: () => control.stop() },
      { name: 'alarms of cameras', phase: 'work', start: () => alarms.start(), stop: () => alarms.stop() },
    ],
  }
}

const found = (service: VideoChannelsService): SearchSource => ({
  kind: 'video_channel',
  permission: 'video:read',
  find: async (ctx, q, limit) =>
    (await service.list(ctx, { q, limit })).items.map(channel => ({
      id: channel.id,
      title: channel.name,
      subtitle: [channel.serial, channel.deviceName].filter(Boolean).join(' · '),
      link: `/manage/ezviz?channel=${channel.id}`,
    })),
})

/** Cameras and their pictures. */
export const videoModule = defineModule({ name: 'video', tools: VIDEO_TOOLS, create: createVideoModule })
