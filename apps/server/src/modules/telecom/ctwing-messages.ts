import { createHash } from 'node:crypto'
import {
  type Fields,
  fieldsOf,
  imeiOf,
  optionalText,
  type PlatformMessage,
  textOf,
  timeOf,
  UnreadableMessage,
} from './messages.ts'
import type { PlatformCommandState } from './platform.port.ts'

const RESULTS: Readonly<Record<string, PlatformCommandState['state']>> = {
  SENT: 'sent',
  DELIVERED: 'delivered',
  SUCCESSFUL: 'succeeded',
  SUCCESS: 'succeeded',
  FAILED: 'failed',
  EXPIRED: 'expired',
  TIMEOUT: 'failed',
  CANCELED: 'cancelled',
  CANCELLED: 'cancelled',
}

/** One push of CTWing AEP. @throws UnreadableMessage */
export function readCtwing(value: unknown): PlatformMessage {
  const said = fieldsOf(value, 'the message')
  const messageType = textOf(said.messageType, 'messageType')
  const platformDevice = textOf(said.deviceId, 'deviceId')
  const at = timeOf(said.timestamp, 'timestamp')
  return {
    // It carries no number of its own: device, time, kind and content are one message.
    identity: createHash('sha256')
      .update(JSON.stringify([platformDevice, said.timestamp, messageType, said]))
      .digest('hex'),
    platformDevice,
    platformProduct: optionalText(said.productId) ?? '',
    imei: imeiOf(said.IMEI),
    deviceNo: optionalText(said.deviceSn),
    says: saysOf(messageType, said, at),
  }
}

function saysOf(messageType: string, said: Fields, at: number | null): PlatformMessage['says'] {
  switch (messageType) {
    case 'dataReport':
      return reportOf(fieldsOf(said.payload, 'payload'), at)
    case 'eventReport':
      return {
        kind: 'events',
        events: [
          {
            identifier: textOf(said.serviceId, 'serviceId'),
            ts: at,
            params: fieldsOf(said.eventContent ?? {}, 'eventContent'),
          },
        ],
      }
    case 'deviceOnlineOfflineReport': {
      const type = optionalText(said.eventType)
      if (type === '1') return { kind: 'online' }
      if (type === '0') return { kind: 'offline' }
      throw new UnreadableMessage('body', 'eventType is neither 0 nor 1')
    }
    case 'commandResponse': {
      const result = fieldsOf(said.result, 'result')
      const code = textOf(result.resultCode, 'result.resultCode')
      const state = RESULTS[code.toUpperCase()]
      if (!state) throw new UnreadableMessage('kind_unknown', `resultCode ${code}`)
      const detail = result.resultDetail
      const text = typeof detail === 'string' ? detail : detail === undefined ? '' : JSON.stringify(detail)
      return {
        kind: 'command',
        platformNo: textOf(said.taskId, 'taskId'),
        state: { state, text: text === '' ? code : text, code, ...(detail ? { data: detail } : {}) },
      }
    }
    // Merged data of a TUP product: the same values come as a dataReport.
    case 'dataReportTupUnion':
      return { kind: 'nothing' }
    default:
      throw new UnreadableMessage('kind_unknown', `messageType ${messageType}`)
  }
}

/** Base64 of bytes, names and values, or names and values of one service. */
function reportOf(payload: Fields, ts: number | null): PlatformMessage['says'] {
  if (typeof payload.APPdata === 'string') {
    const bytes = Buffer.from(payload.APPdata, 'base64')
    if (bytes.toString('base64').replaceAll('=', '') !== payload.APPdata.replaceAll('=', ''))
      throw new UnreadableMessage('body', 'APPdata is no Base64')
    return { kind: 'bytes', bytes }
  }
  const values = payload.serviceData === undefined ? payload : fieldsOf(payload.serviceData, 'serviceData')
  return { kind: 'values', readings: [{ ts, values }] }
}
