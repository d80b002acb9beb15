import type { AlarmLinkView } from '@thingwright/contracts/alarm-links.contract'
import { systemContext } from '../../lib/context.ts'
import type { CryptoBox } from '../../lib/crypto/crypto-box.ts'
import type { Database } from '../../lib/database/database.ts'
import { AppError } from '../../lib/errors.ts'
import type { AlarmsService } from '../alarms/index.ts'
import * as repo from './alarm-links.repo.ts'

/** Links in messages that acknowledge their alarm once, for whoever holds them. */
export interface AlarmLinks {
  /** The address that belongs to a record. */
  linkOf(recordId: string): string
  /** @throws AppError alarm_link.unknown */
  look(token: string): Promise<AlarmLinkView>
  /** @throws AppError alarm_link.unknown, alarm_link.used also when two come at once, alarm_link.expired */
  acknowledge(token: string, now: number): Promise<AlarmLinkView>
}

export interface AlarmLinksDeps {
  database: Database
  alarms: Pick<AlarmsService, 'ack'>
  box: CryptoBox
  consoleUrl(): string
  now(): number
}

/** How long a link is good for. */
const VALID_MS = 7 * 86_400_000
const PURPOSE = 'alarm-link'

export function createAlarmLinks({ database, alarms, box, consoleUrl, now }: AlarmLinksDeps): AlarmLinks {
  /** The record that a token was sealed for: nothing of it stands in the database, and none can be guessed. */
  function recordOf(token: string): string {
    try {
      const hex = box.open(Buffer.from(token, 'base64url'), PURPOSE).toString('hex')
      return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
    } catch {
      throw new AppError('alarm_link.unknown')
    }
  }

  async function known(token: string): Promise<repo.LinkRow> {
    const row = await database.withSystemScope('alarms', scope => repo.find(scope, recordOf(token)))
    if (!row) throw new AppError('alarm_link.unknown')
    return row
  }

  return {
    linkOf(recordId) {
      const token = box.seal(Buffer.from(recordId.replaceAll('-', ''), 'hex'), PURPOSE).toString('base64url')
      // Behind the hash: it stands in no log of a server.
      return `${consoleUrl()}/alonePage/Acknowledge#${token}`
    },

    look: async token => viewOf(await known(token), now()),

    async acknowledge(token, at) {
      const row = await known(token)
      const { state } = viewOf(row, at)
      if (state === 'expired' || state === 'used') throw new AppError(`alarm_link.${state}`)
      if (state === 'acknowledged') return viewOf(row, at)
      // Taken first: of two that come at once one finds it used.
      const isTaken = await database.withSystemScope('alarms', scope => repo.take(scope, row.id, new Date(at)))
      if (!isTaken) throw new AppError('alarm_link.used')
      await alarms.ack(
        {
          ...systemContext(row.tenantId, 'alarm-link', at),
          actor: { kind: 'system', reason: 'alarm-link', name: row.contactName || row.channel },
        },
        row.alarmId,
        {},
      )
      return viewOf(await known(token), at)
    },
  }
}

function viewOf(row: repo.LinkRow, now: number): AlarmLinkView {
  const state = row.acknowledgedAt
    ? row.usedAt
      ? 'used'
      : 'acknowledged'
    : !row.mayAcknowledge || now - row.createdAt.getTime() > VALID_MS
      ? 'expired'
      : 'open'
  return {
    state,
    triggerName: row.triggerName,
    deviceName: row.deviceName,
    level: row.level,
    active: row.active,
    raisedAt: row.raisedAt.toISOString(),
    contactName: row.contactName,
    acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
    acknowledgedName: row.acknowledgedName,
  }
}
