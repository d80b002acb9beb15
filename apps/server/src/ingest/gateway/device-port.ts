import { inBackground } from '../../lib/background.ts'
import type { Clock } from '../../lib/clock.ts'
import type { commandQueue } from '../commands/command-queue.repo.ts'
import { replyEntry } from '../commands/reply-entry.ts'
import type { Directory } from '../directory/directory.ts'
import type { DownlinkPipeline } from '../downlink.pipeline.ts'
import type { FlowControl } from '../flow-control/flow-control.ts'
import type { Lanes } from '../lanes.port.ts'
import type { createFirmware } from '../ota/firmware.ts'
import type { Presence } from '../presence/presence.ts'
import type { IngestPort, Transport } from '../transport.port.ts'
import type { Answers } from './answers.ts'
import { type Carriers, MQTT } from './carriers.ts'
import type { Counters } from './counters.ts'
import type { Frames } from './frames.ts'
import type { Notes } from './notes.ts'
import type { Refusals } from './refusals.ts'
import { noteRefusal } from './refused-sign-in.ts'
import type { SignIn } from './sign-in.ts'
import type { WrongTries } from './wrong-tries.ts'

interface DevicePortOptions {
  intake: Pick<IngestPort, 'accept' | 'hasRoom' | 'onDrain'>
  carriers: Carriers<Transport>
  admission: SignIn
  wrongTries: WrongTries
  refusals: Refusals
  counters: Counters
  directory: Directory
  presence: Presence
  downlink: DownlinkPipeline
  queue: Pick<ReturnType<typeof commandQueue>, 'openCommands'>
  flow: FlowControl
  answers: Answers
  firmware: ReturnType<typeof createFirmware>
  lanes: Lanes
  frames: Frames
  notes: Notes
  clock: Clock
}

/** What a transport is given: the device path as it sees it. @param owner its name */
export function devicePorts(options: DevicePortOptions): (owner: string) => IngestPort {
  const { intake, carriers, presence, downlink, lanes, clock } = options
  const { admission, wrongTries, refusals, counters, directory, queue, flow, answers, firmware, frames, notes } =
    options

  return owner => ({
    ...intake,
    async signIn(request) {
      const result = await admission.check(request)
      counters.add(result.ok ? 'sign_ins' : `sign_ins_refused_${result.reason}`)
      if (!result.ok && result.reason !== 'unavailable') {
        noteRefusal({ refusals, directory }, request, result)
        await wrongTries.refused(request, result.reason)
      }
      return result
    },
    limited: device => flow.limited(device),
    sessionOpened(device, info) {
      carriers.opened(owner, device.num)
      presence.opened(device, info)
      downlink.forget(device.num)
      if (info.subscriptions.length > 0 || owner !== MQTT) downlink.wake([device.num])
    },
    sessionReady(device) {
      const info = carriers.session(device.num)
      if (info) presence.changed(device, info)
      downlink.wake([device.num, ...carriers.subs.below(device.num)])
    },
    sessionClosed(device, reason) {
      if (!carriers.closed(owner, device.num)) return
      presence.closed(device, false, reason)
      downlink.forget(device.num)
    },
    answer: async (device, query) =>
      query.kind === 'ntp' ? answers.time(query.payload, query.arrivedAt) : answers.shadow(device.num),
    firmwareChunks: (device, payload, say) => firmware.chunks.request(device, payload, say),
    firmwarePull: (device, payload) => firmware.pull(device, payload),
    commandReply: (device, reply, done) =>
      lanes.append([replyEntry(device, reply, clock.now())], done ?? (() => undefined)),
    frame: (device, direction, bytes, detail) =>
      frames.add(device.num, direction, bytes, detail?.channel ?? '', detail?.note ?? ''),
    note: (productKey, deviceNo, event, detail) =>
      inBackground('a note about a device', notes.note(productKey, deviceNo, event, detail)),
    resolveSub: (gateway, sub) => carriers.subs.resolveSub(gateway, sub),
    subLeft: (gateway, device, reason) => carriers.subs.leave(gateway, device, reason),
    settingsOf: device => directory.product(device.productNum).settings,
    openCommands: device => queue.openCommands(device.num),
  })
}
