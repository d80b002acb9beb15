import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import type { TFunction } from 'i18next'
import { formatBytes, formatDateTime, formatNumber } from '../../../lib/format.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { VersionText } from '../components/version-text.tsx'
import css from '../ota.module.css'
import { signOfPackage } from '../words.ts'

type Words = TFunction<'ota'>

/** Columns of the packages' list. */
export function packageColumns(
  t: Words,
  hrefOf: (row: FirmwarePackageView) => string,
): ListColumn<FirmwarePackageView>[] {
  return [
    {
      key: 'name',
      title: t('name'),
      minWidth: 188,
      required: true,
      render: row => <NameCell name={row.name} id={row.fileName} to={hrefOf(row)} />,
      csv: row => row.name,
    },
    {
      key: 'version',
      title: t('version'),
      width: 148,
      required: true,
      render: row => <VersionText from={row.kind === 'delta' ? row.fromVersion : undefined} version={row.version} />,
      csv: row => row.version,
    },
    {
      key: 'state',
      title: t('state'),
      width: 112,
      render: row => (
        <StatusTag kind={signOfPackage(row.state)} title={row.stateNote}>
          {t(`packageState.${row.state}`)}
        </StatusTag>
      ),
      csv: row => t(`packageState.${row.state}`),
    },
    {
      key: 'product',
      title: t('product'),
      width: 136,
      rank: 5,
      render: row => (
        <span title={row.productName} dir="auto">
          {row.productName}
        </span>
      ),
      csv: row => row.productName,
    },
    {
      key: 'module',
      title: t('module'),
      width: 84,
      rank: 2,
      render: row => <code className={css.code}>{row.module}</code>,
      csv: row => row.module,
    },
    {
      key: 'kind',
      title: t('kind'),
      width: 80,
      initiallyHidden: true,
      render: row => t(`packageKind.${row.kind}`),
      csv: row => t(`packageKind.${row.kind}`),
    },
    {
      key: 'orderNo',
      title: t('orderNo'),
      width: 84,
      rank: 1,
      align: 'right',
      sortKey: 'orderNo',
      render: row => formatNumber(row.orderNo),
      csv: row => row.orderNo,
    },
    {
      key: 'size',
      title: t('size'),
      width: 88,
      rank: 3,
      align: 'right',
      render: row => formatBytes(row.size),
      csv: row => row.size,
    },
    {
      key: 'signature',
      title: t('signature'),
      width: 128,
      initiallyHidden: true,
      render: row => row.keyName ?? '–',
      csv: row => row.keyName ?? '',
    },
    {
      key: 'devices',
      title: t('devicesOn'),
      width: 84,
      rank: 4,
      align: 'right',
      render: row => formatNumber(row.devices),
      csv: row => row.devices,
    },
    {
      key: 'campaigns',
      title: t('campaignCount'),
      width: 92,
      align: 'right',
      initiallyHidden: true,
      render: row => formatNumber(row.campaigns),
      csv: row => row.campaigns,
    },
    {
      key: 'sha256',
      title: 'SHA-256',
      width: 160,
      initiallyHidden: true,
      render: row => (
        <code className={css.code} title={row.sha256}>
          {row.sha256}
        </code>
      ),
      csv: row => row.sha256,
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 112,
      sortKey: 'createdAt',
      render: row => <TimeText value={row.createdAt} />,
      csv: row => formatDateTime(row.createdAt),
    },
  ]
}
