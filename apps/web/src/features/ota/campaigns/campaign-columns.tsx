import type { OtaCampaignView } from '@thingwright/contracts/ota.contract'
import type { TFunction } from 'i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { personName } from '../../../lib/person-name.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { campaignAddress } from '../addresses.ts'
import { CampaignState, reasonText } from '../components/campaign-state.tsx'
import { ShareBar } from '../components/share-bar.tsx'
import { VersionText } from '../components/version-text.tsx'
import { sharesOf } from '../words.ts'

/** Columns of the campaigns' list. */
export function campaignColumns(t: TFunction<'ota'>): ListColumn<OtaCampaignView>[] {
  return [
    {
      key: 'name',
      title: t('name'),
      minWidth: 176,
      required: true,
      render: row => <NameCell name={row.name} to={campaignAddress(row.id)} />,
      csv: row => row.name,
    },
    {
      key: 'version',
      title: t('targetVersion'),
      width: 104,
      rank: 4,
      render: row => <VersionText version={row.version} />,
      csv: row => row.version,
    },
    {
      key: 'state',
      title: t('state'),
      width: 120,
      render: row => <CampaignState of={row} />,
      csv: row => [t(`campaignState.${row.state}`), reasonText(t, row.stateReason)].filter(Boolean).join(' '),
    },
    {
      key: 'progress',
      title: t('progress'),
      width: 160,
      render: row => <ShareBar counts={row.counts} total={row.total} />,
      csv: row => `${sharesOf(row.counts).ok}/${row.total}`,
    },
    {
      key: 'product',
      title: t('product'),
      width: 136,
      rank: 3,
      render: row => (
        <span title={row.productName} dir="auto">
          {row.productName}
        </span>
      ),
      csv: row => row.productName,
    },
    {
      key: 'kind',
      title: t('campaignKindTitle'),
      width: 84,
      rank: 1,
      render: row => t(`campaignKind.${row.kind}`),
      csv: row => t(`campaignKind.${row.kind}`),
    },
    {
      key: 'failure',
      title: t('failureRate'),
      width: 76,
      rank: 2,
      align: 'right',
      render: row =>
        row.failurePercent === null ? '–' : formatNumber(Math.round(row.failurePercent * 10) / 10, { unit: '%' }),
      csv: row => row.failurePercent ?? '',
    },
    {
      key: 'owner',
      title: t('createdBy'),
      width: 112,
      initiallyHidden: true,
      render: row => personName(row.ownerName),
      csv: row => personName(row.ownerName, ''),
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 100,
      rank: 5,
      render: row => <TimeText value={row.createdAt} />,
      csv: row => formatDateTime(row.createdAt),
    },
  ]
}
