import type { ReportSource } from '@thingwright/contracts/reports.contract'
import type { Ctx } from '../../lib/context.ts'
import type { PublishedValue } from '../cloud-pages/index.ts'
import type { SourceDeps } from './report-sources.ts'
import type { ReportPaper, ReportTable } from './report-table.ts'
import words from './report-words.json' with { type: 'json' }

/** What a published cloud page shows now, one row for each of its values. @throws AppError page.not_found, page.off_line */
export async function pageTable(
  { cloudPages }: Pick<SourceDeps, 'cloudPages'>,
  ctx: Ctx,
  source: ReportSource,
  { locale }: ReportPaper,
): Promise<ReportTable> {
  const text = words[locale]
  const { values } = await cloudPages.publishedValues(ctx, source.pageId!)
  async function* rows() {
    for (const { elements, device, signal, value } of values)
      yield {
        element: elements.join(locale === 'zh' ? '、' : ', '),
        device: device ?? '',
        property: propertyOf(signal, text),
        value: value?.v ?? null,
        quality: value ? text.qualities[value.q] : '',
        time: value?.ts ?? null,
      }
  }
  return {
    columns: [
      { key: 'element', title: text.cols.element },
      { key: 'device', title: text.cols.device },
      { key: 'property', title: text.cols.property },
      { key: 'value', title: text.cols.value },
      { key: 'quality', title: text.cols.quality },
      { key: 'time', title: text.cols.time, type: 'time' },
    ],
    rows: rows(),
  }
}

function propertyOf(signal: PublishedValue['signal'], text: (typeof words)['zh']): string {
  switch (signal.kind) {
    case 'property':
      return signal.point
    case 'aggregate':
      return `${signal.point} (${signal.fn})`
    case 'api':
      return `${text.signals.api} ${signal.path}`
    default:
      return text.signals[signal.kind]
  }
}
