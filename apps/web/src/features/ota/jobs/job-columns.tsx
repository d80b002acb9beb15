import type { OtaJobView } from '@thingwright/contracts/ota.contract'
import type { TFunction } from 'i18next'
import { formatDateTime } from '../../../lib/format.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { JobState, jobWords } from '../components/job-state.tsx'
import { VersionText } from '../components/version-text.tsx'

/** Columns of the devices of a campaign. */
export function jobColumns(t: TFunction<'ota'>, hrefOf: (row: OtaJobView) => string): ListColumn<OtaJobView>[] {
  return [
    {
      key: 'device',
      title: t('device'),
      minWidth: 192,
      required: true,
      render: row => <NameCell name={row.deviceName || row.deviceNo} id={row.deviceNo} to={hrefOf(row)} />,
      csv: row => row.deviceNo,
    },
    {
      key: 'versions',
      title: t('versionFromTo'),
      width: 172,
      rank: 3,
      render: row => <VersionText from={row.fromVersion} version={row.toVersion} />,
      csv: row => `${row.fromVersion ?? ''} -> ${row.toVersion}`,
    },
    {
      key: 'state',
      title: t('state'),
      width: 208,
      required: true,
      render: row => <JobState of={row} />,
      csv: row => t(`jobState.${row.state}`),
    },
    {
      key: 'note',
      title: t('note'),
      minWidth: 168,
      rank: 2,
      render: row => {
        const text = jobWords(t, row)
        return (
          <span title={text} dir="auto">
            {text || '–'}
          </span>
        )
      },
      csv: row => jobWords(t, row),
    },
    {
      key: 'step',
      title: t('step'),
      width: 72,
      align: 'right',
      initiallyHidden: true,
      render: row => (row.steps.length > 1 ? `${row.step} / ${row.steps.length}` : '–'),
      csv: row => `${row.step}/${row.steps.length}`,
    },
    {
      key: 'attempt',
      title: t('attempt'),
      width: 84,
      rank: 1,
      align: 'right',
      render: row => (row.attempt === 0 ? '–' : row.attempt),
      csv: row => row.attempt,
    },
    {
      key: 'changedAt',
      title: t('changedAt'),
      width: 116,
      sortKey: 'changedAt',
      render: row => <TimeText value={row.changedAt} />,
      csv: row => formatDateTime(row.changedAt),
    },
    {
      key: 'finishedAt',
      title: t('endedAt'),
      width: 116,
      initiallyHidden: true,
      render: row => <TimeText value={row.finishedAt} />,
      csv: row => (row.finishedAt ? formatDateTime(row.finishedAt) : ''),
    },
  ]
}
