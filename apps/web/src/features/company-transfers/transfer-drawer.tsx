import { Drawer, Progress, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime, formatNumber } from '../../lib/format.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import css from './company-transfers.module.css'

const REFRESH_MS = 2_000
const SHOWN = 100
/** Words for codes of errors. */
const REASONS: Readonly<Record<string, 'gone' | 'recycled' | 'product' | 'number' | 'quota'>> = {
  'device.not_found': 'gone',
  'device.recycled': 'recycled',
  'product.not_found': 'product',
  'device.number_taken': 'number',
  'quota.exceeded': 'quota',
}

/** One transfer: how far it is, what stopped in the company that gave, and each device with the reason where it stayed. */
export function TransferDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('company-transfers')
  const isRunning = (state: string | undefined) => (state === 'running' ? REFRESH_MS : false)
  const query = useRead(
    'companyTransfers.get',
    { params: { id } },
    { refetchInterval: ({ state }) => isRunning(state.data?.state) },
  )
  const transfer = query.data
  const devices = useRead(
    'companyTransfers.devices',
    { params: { id }, query: { limit: SHOWN } },
    { refetchInterval: () => isRunning(transfer?.state) },
  )
  return (
    <Drawer open size={560} onClose={onClose} title={t('one')}>
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : !transfer ? (
        <Skeleton active />
      ) : (
        <>
          <dl className={css.facts}>
            <dt>{t('direction')}</dt>
            <dd>
              {t(`directions.${transfer.direction}`)} ·{' '}
              {transfer.direction === 'out' ? transfer.toName || t('nobodyYet') : transfer.fromName}
            </dd>
            <dt>{t('state')}</dt>
            <dd>{t(`states.${transfer.state}`)}</dd>
            <dt>{t('along')}</dt>
            <dd>
              {t(transfer.withHistory ? 'historyYes' : 'historyNo')} ·{' '}
              {t(transfer.withTriggers ? 'triggersYes' : 'triggersNo')}
            </dd>
            <dt>{t('byName')}</dt>
            <dd>
              {transfer.byName} · {formatDateTime(transfer.createdAt)}
            </dd>
            {transfer.acceptedAt !== null && (
              <>
                <dt>{t('acceptedBy')}</dt>
                <dd>
                  {transfer.acceptedName} · {formatDateTime(transfer.acceptedAt)}
                </dd>
              </>
            )}
            {transfer.note !== '' && (
              <>
                <dt>{t('note')}</dt>
                <dd>{transfer.note}</dd>
              </>
            )}
          </dl>
          {transfer.acceptedAt !== null && (
            <Progress
              percent={transfer.total === 0 ? 100 : Math.floor((transfer.moved / transfer.total) * 100)}
              status={transfer.state === 'running' ? 'active' : transfer.failed > 0 ? 'exception' : 'success'}
              format={() => t('movedOf', { moved: formatNumber(transfer.moved), all: formatNumber(transfer.total) })}
            />
          )}
          {transfer.paused.length > 0 && (
            <>
              <h3>{t('paused')}</h3>
              <ul>
                {transfer.paused.map(each => (
                  <li key={`${each.kind}-${each.id}`}>{each.name}</li>
                ))}
              </ul>
            </>
          )}
          <h3>{t('devices')}</h3>
          {devices.isError ? (
            <ErrorState error={devices.error} onRetry={() => void devices.refetch()} />
          ) : !devices.data ? (
            <Skeleton active />
          ) : (
            <>
              <ul className={css.devices}>
                {devices.data.items.map(each => (
                  <li key={each.place}>
                    <span dir="auto">
                      {each.deviceId === null ? (
                        each.name
                      ) : (
                        <Link to={`/manage/device/DeviceSet/DeviceCenter?id=${each.deviceId}`}>{each.name}</Link>
                      )}{' '}
                      <small>{each.deviceNo}</small>
                    </span>
                    <StatusTag
                      kind={each.state === 'moved' ? 'success' : each.state === 'failed' ? 'error' : 'neutral'}
                    >
                      {t(`itemStates.${each.state}`)}
                    </StatusTag>
                    {each.reason !== null && <small>{t(`reasons.${REASONS[each.reason] ?? 'other'}`)}</small>}
                  </li>
                ))}
              </ul>
              {devices.data.nextCursor !== null && <p>{t('firstShown', { count: SHOWN })}</p>}
            </>
          )}
        </>
      )}
    </Drawer>
  )
}
