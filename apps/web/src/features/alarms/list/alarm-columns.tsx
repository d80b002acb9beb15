import type { AlarmView } from '@thingwright/contracts/alarms.contract'
import type { TFunction } from 'i18next'
import { Link } from 'react-router'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import type { AlarmLevelLook } from '../../../ui/alarm-levels.ts'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { AlarmTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress, stormAddress } from '../addresses.ts'
import css from '../alarms.module.css'
import { ActiveTag, WorkWords } from '../components.tsx'
import { lengthText, targetName } from '../words.ts'

/** Columns of the alarms; `of` says whether the device is known anyway. */
export function alarmColumns(
  t: TFunction<'alarms'>,
  levels: readonly AlarmLevelLook[],
  hrefOf: (row: AlarmView) => string,
  now: number,
  of: 'company' | 'device' = 'company',
): ListColumn<AlarmView>[] {
  const levelName = (level: number) => levels.find(each => each.level === level)?.name ?? String(level)
  return [
    {
      key: 'name',
      title: t('alarm'),
      minWidth: 224,
      required: true,
      render: row => (
        <span className={css.nameCell}>
          <AlarmTag level={row.level} word={false} />
          <span className={css.twoLines}>
            <Link to={hrefOf(row)} title={row.triggerName} dir="auto">
              {row.triggerName}
            </Link>
            <small title={targetName(row)} dir="auto">
              {levelName(row.level)} · {targetName(row)}
              {row.isLoop && ` · ${t('isLoop')}`}
              {row.count > 1 && ` · ${t('times', { count: row.count, text: formatNumber(row.count) })}`}
              {row.merged > 0 && (
                <>
                  {' · '}
                  <Link to={stormAddress(row.id)}>
                    {t('sameCause', { count: row.merged, text: formatNumber(row.merged) })}
                  </Link>
                </>
              )}
            </small>
          </span>
        </span>
      ),
      csv: row => row.triggerName,
    },
    {
      key: 'level',
      title: t('level'),
      width: 96,
      sortKey: 'level',
      initiallyHidden: true,
      render: row => <AlarmTag level={row.level} />,
      csv: row => levelName(row.level),
    },
    ...(of === 'device'
      ? []
      : [
          {
            key: 'device',
            title: t('device'),
            minWidth: 160,
            rank: 3,
            render: (row: AlarmView) =>
              row.deviceId ? (
                <span className={css.twoLines}>
                  <Link to={deviceAddress(row.deviceId)} title={row.deviceName ?? ''} dir="auto">
                    {row.deviceName}
                  </Link>
                  <code>{row.deviceNo}</code>
                </span>
              ) : (
                <span>{t(`target.${row.target.kind}`)}</span>
              ),
            csv: (row: AlarmView) => row.deviceNo ?? t(`target.${row.target.kind}`),
          },
          {
            key: 'owner',
            title: t('owner'),
            width: 120,
            rank: 1,
            initiallyHidden: true,
            render: (row: AlarmView) => <span title={row.owner?.name ?? ''}>{row.owner?.name ?? '–'}</span>,
            csv: (row: AlarmView) => row.owner?.name ?? '',
          },
        ]),
    {
      key: 'state',
      title: t('state'),
      width: 136,
      required: true,
      render: row => (
        <span className={css.twoLines}>
          <ActiveTag alarm={row} />
          <WorkWords alarm={row} />
        </span>
      ),
      csv: row => t(row.active ? 'active' : 'cleared'),
    },
    {
      key: 'length',
      title: t('length'),
      width: 120,
      rank: 2,
      render: row => lengthText(row, now),
      csv: row => lengthText(row, now),
    },
    {
      key: 'raisedAt',
      title: t('raisedAt'),
      width: 120,
      sortKey: 'raisedAt',
      render: row => <TimeText value={row.raisedAt} />,
      csv: row => formatDateTime(row.raisedAt),
    },
    {
      key: 'lastAt',
      title: t('lastAt'),
      width: 120,
      sortKey: 'lastAt',
      initiallyHidden: true,
      render: row => <TimeText value={row.lastAt} />,
      csv: row => formatDateTime(row.lastAt),
    },
    {
      key: 'clearedAt',
      title: t('clearedAt'),
      width: 120,
      initiallyHidden: true,
      render: row => <TimeText value={row.clearedAt} />,
      csv: row => (row.clearedAt ? formatDateTime(row.clearedAt) : ''),
    },
    {
      key: 'assignee',
      title: t('assignee'),
      width: 112,
      rank: 1,
      render: row => (
        <span title={row.assigneeName ?? ''} dir="auto">
          {row.assigneeName ?? '–'}
        </span>
      ),
      csv: row => row.assigneeName ?? '',
    },
    {
      key: 'product',
      title: t('product'),
      width: 136,
      initiallyHidden: true,
      render: row => <span title={row.productName ?? ''}>{row.productName ?? '–'}</span>,
      csv: row => row.productName ?? '',
    },
  ]
}
