import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { ChannelError, type PushMessage, type PushReceiver, type WebPush } from './channel.port.ts'
import * as repo from './push-devices.repo.ts'

/** What the box of the addresses is made for; never changed. */
export const PUSH_SEAL = 'push-devices'

/** What a browser handed over, and the portal in which it did. */
export interface PushSecrets extends PushReceiver {
  /** Suffix of the portal; empty: the console. */
  portal: string
}

/** A message that is not yet meant for one device. */
export interface PushText extends Omit<PushMessage, 'link'> {
  alarmId: string | null
}

/** Pushes messages to the devices of contacts. */
export interface Push {
  seal(id: string, secrets: PushSecrets): Buffer
  /** To every device of a contact: sent when one of them took it. @throws ChannelError */
  toContact(contactId: string, message: PushText): Promise<void>
  /** To one device. @throws ChannelError */
  toDevice(target: repo.PushTarget, message: PushText): Promise<void>
}

export interface PushDeps {
  database: Database
  webPush: WebPush
  box: CryptoBox
  now(): number
}

export function createPush({ database, webPush, box, now }: PushDeps): Push {
  const push: Push = {
    seal: (id, secrets) => box.seal(JSON.stringify(secrets), `push:${id}`),

    async toContact(contactId, message) {
      const targets = await database.withSystemScope('alarms', scope => repo.targetsOf(scope, contactId))
      const results = await Promise.allSettled(targets.map(target => push.toDevice(target, message)))
      const errors = results.flatMap(one => (one.status === 'rejected' ? [one.reason] : []))
      const sent = targets.filter((_, i) => results[i]!.status === 'fulfilled')
      const gone = targets.filter((_, i) => {
        const one = results[i]!
        return one.status === 'rejected' && one.reason instanceof ChannelError && one.reason.kind === 'account'
      })
      await database.withSystemScope('alarms', async scope => {
        for (const { id } of gone) {
          const lost = await repo.remove(scope, id)
          if (lost) await repo.noteLost(scope, [lost])
        }
        if (sent.length > 0)
          await repo.noteSent(
            scope,
            sent.map(({ id }) => id),
            new Date(now()),
          )
      })
      if (sent.length > 0) return
      // What will never be taken stays so; the rest is tried again.
      const later = errors.find(error => !(error instanceof ChannelError) || error.kind === 'again')
      if (later) throw later
      const never = errors.find(error => error instanceof ChannelError && error.kind === 'never')
      throw never ?? new ChannelError('never', 'no_push_device')
    },

    async toDevice({ id, secrets }, { alarmId, ...message }) {
      const { portal, ...receiver } = JSON.parse(box.open(secrets, `push:${id}`).toString('utf8')) as PushSecrets
      const page = alarmId ? `/manage/user/center/alarm?alarm=${alarmId}` : '/admin/alarme'
      await webPush.send(receiver, { ...message, link: portal === '' ? page : `/w/${portal}` })
    },
  }
  return push
}
