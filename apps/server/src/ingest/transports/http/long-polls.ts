import { inBackground } from '../../../lib/background.ts'
import type { DeviceAnswer } from '../../channel/device-frames.ts'
import type { DownlinkMessage } from '../../transport.port.ts'
import { describeCommand } from './command-json.ts'
import type { Exchange } from './node-adapter.ts'
import { json } from './replies.ts'

/** How a poll that is not our own wants its commands. */
export interface PollStyle {
  /** Commands of this kind are for it, one at a time. */
  takes(message: DownlinkMessage): boolean
  /** The answer; without a command when the time is over. */
  answer(message: DownlinkMessage | null): DeviceAnswer
}

interface Poll {
  exchange: Exchange
  style: PollStyle | null
  messages: DownlinkMessage[]
  timer: NodeJS.Timeout | null
  finish(): void
}

/** Devices that wait for commands over HTTP: one open request each. */
export class LongPolls {
  private readonly polls = new Map<number, Poll>()

  /** @param returned takes back commands whose answer broke off before it had left */
  constructor(private readonly returned: (device: number, ids: string[]) => void) {}

  get size(): number {
    return this.polls.size
  }

  isWaiting(device: number): boolean {
    return this.polls.has(device)
  }

  /**
   * Holds a request until a command comes or the time is over. A second request of the same device ends the first
   * empty-handed, so that no command goes to a connection the device has given up.
   * @param ready resolves when the queue was looked at
   */
  hold(
    device: number,
    exchange: Exchange,
    waitMs: number,
    ready: () => Promise<void>,
    style: PollStyle | null = null,
  ): void {
    this.polls.get(device)?.finish()
    const poll: Poll = { exchange, style, messages: [], timer: null, finish: () => this.finish(device, poll) }
    this.polls.set(device, poll)
    exchange.onGone(() => {
      this.drop(device, poll)
      if (poll.messages.length > 0)
        this.returned(
          device,
          poll.messages.map(message => message.commandId),
        )
    })
    if (waitMs > 0) poll.timer = setTimeout(poll.finish, waitMs)
    inBackground(
      'answering a device that waits for commands',
      ready().then(() => {
        if (waitMs <= 0) poll.finish()
      }),
    )
  }

  /** Adds a command to the device's open request; false when there is none. */
  give(device: number, message: DownlinkMessage): boolean {
    const poll = this.polls.get(device)
    if (!poll || poll.exchange.gone()) return false
    if (poll.style && (poll.messages.length > 0 || !poll.style.takes(message))) return false
    // Commands of one look at the queue come in one turn of the loop and leave in one answer.
    if (poll.messages.length === 0) setImmediate(poll.finish)
    poll.messages.push(message)
    return true
  }

  /** Ends the device's open request, if any. */
  end(device: number): void {
    this.polls.get(device)?.finish()
  }

  /** Answers everybody with what there is. */
  finishAll(): void {
    for (const poll of [...this.polls.values()]) poll.finish()
  }

  private finish(device: number, poll: Poll): void {
    if (this.polls.get(device) !== poll) return
    this.drop(device, poll)
    poll.exchange.answer(
      poll.style
        ? poll.style.answer(poll.messages[0] ?? null)
        : json(`{"commands":[${poll.messages.map(describeCommand).join(',')}]}`),
    )
  }

  private drop(device: number, poll: Poll): void {
    if (this.polls.get(device) === poll) this.polls.delete(device)
    if (poll.timer) clearTimeout(poll.timer)
  }
}
