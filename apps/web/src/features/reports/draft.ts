import type { ReportInput, ReportSource, ReportView } from '@thingwright/contracts/reports.contract'
import type { ReportList } from '@thingwright/contracts/reports.words'

/** What is typed in the editor. */
export interface Draft extends Required<Omit<ReportInput, 'enabled' | 'misfireMinutes'>> {
  misfireMinutes: number
}

/** A list as the button beside its export hands it over. */
export interface AskedList {
  list: ReportList
  params?: Record<string, string>
  query: Record<string, string>
  name: string
}

export function freshDraft(locale: 'zh' | 'en', asked: AskedList | null = null): Draft {
  return {
    name: asked?.name ?? '',
    description: '',
    source: asked
      ? {
          kind: 'list',
          list: asked.list,
          ...(asked.params ? { params: asked.params } : {}),
          query: asked.query,
          columns: [],
        }
      : { kind: 'list', list: 'devices.export', query: {}, columns: [] },
    format: 'xlsx',
    schedule: { kind: 'daily', times: ['08:00'] },
    locale,
    period: null,
    recipients: [],
    misfire: 'once',
    misfireMinutes: 720,
  }
}

export function draftOf(report: ReportView): Draft {
  const { name, description, source, format, schedule, locale, period, misfire, misfireMinutes } = report
  const recipients = report.recipients.map(({ label: _, ...recipient }) => recipient)
  return { name, description, source, format, schedule, locale, period, recipients, misfire, misfireMinutes }
}

/** Another kind begins with what most people want of it. */
export function freshSource(kind: ReportSource['kind']): ReportSource {
  if (kind === 'list') return { kind, list: 'devices.export', query: {}, columns: [] }
  if (kind === 'telemetry') return { kind, deviceIds: [], properties: [], interval: 'hour', functions: ['average'] }
  return { kind }
}

/** The address of the page is written by people too: what cannot be read opens an empty editor. */
export function askedList(text: string | null, lists: readonly string[]): AskedList | null {
  if (text === null) return null
  try {
    const asked = JSON.parse(text) as AskedList
    return lists.includes(asked.list) && typeof asked.query === 'object' && asked.query !== null ? asked : null
  } catch {
    return null
  }
}

/** Receivers as one choice of many: `member:id`, `contact:id`, or an address as it is typed. */
export const recipientKey = ({ kind, id, address }: Draft['recipients'][number]): string =>
  kind === 'mail' ? (address ?? '') : `${kind}:${id}`

export function recipientOf(key: string): Draft['recipients'][number] {
  const [, kind, id] = /^(member|contact):(.+)$/.exec(key) ?? []
  return kind && id ? { kind: kind as 'member', id } : { kind: 'mail', address: key.trim() }
}
