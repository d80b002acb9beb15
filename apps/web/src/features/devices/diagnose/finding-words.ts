import type { DiagnosisFinding } from '@thingwright/contracts/diagnosis.contract'
import { formatDateTime } from '../../../lib/format.ts'
import { transportName } from '../../../ui/transport-words.ts'

type Translate = (key: string, params?: Record<string, unknown>) => string

/** What is put into the sentence of a cause: the evidence, with its codes as words. */
export function wordsOf(finding: DiagnosisFinding, t: Translate, offlineReason: (reason: string) => string) {
  const { params } = finding
  const text = (value: unknown) => (value === null || value === undefined ? '' : String(value))
  const list = (value: unknown) => (Array.isArray(value) ? value.map(text).join(', ') : '')
  return {
    ...Object.fromEntries(Object.entries(params).map(([key, value]) => [key, text(value)])),
    reasonWord: t(`reason.${text(params.reason)}`, { defaultValue: text(params.reason) }),
    offlineWord: params.reason ? offlineReason(text(params.reason)) : '–',
    statusWord: t(`company.${text(params.status)}`, { defaultValue: text(params.status) }),
    identifierList: list(params.identifiers) || text(params.path),
    addressList: list(params.addresses) || '–',
    topicList: list(params.topics),
    nameList: list(params.names),
    untilTime: typeof params.until === 'number' ? formatDateTime(params.until) : '',
    subscriptionList: list(params.subscriptions) || '–',
    revokedTime: typeof params.revokedAt === 'number' ? formatDateTime(params.revokedAt) : '–',
    transport: transportName(text(params.transport)),
    deviceTime: typeof params.deviceTs === 'number' ? formatDateTime(params.deviceTs) : '',
  }
}
