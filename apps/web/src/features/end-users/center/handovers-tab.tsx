import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { personName } from '../../../lib/person-name.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { deviceAddress } from '../addresses.ts'
import css from '../end-users.module.css'

const SHOWN = 100

/** Devices that came to an end user or went from him. */
export function HandoversTab({ user }: { user: EndUserView }) {
  const { t } = useTranslation('end-users')
  const list = useRead('endUsers.handovers', { params: { id: user.id }, query: { limit: SHOWN } })
  return (
    <Panel flush title={t('center_tab.handovers')} hint={t('handoversLead')}>
      {list.isError ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : !list.data ? (
        <Skeleton active />
      ) : list.data.items.length === 0 ? (
        <p className={css.row}>{t('noHandovers')}</p>
      ) : (
        <ul className={css.rows}>
          {list.data.items.map(each => (
            <li key={each.id} className={css.row}>
              <span>
                <Link to={deviceAddress(each.deviceId)}>{each.deviceName ?? each.deviceId}</Link>{' '}
                <span className={css.muted}>
                  {each.from?.name ?? t('theCompany')} → {each.to?.name ?? t('theCompany')}
                  {' · '}
                  {each.withHistory ? t('withHistoryShort') : t('withoutHistoryShort')}
                  {each.paused.length > 0 &&
                    ` · ${t('pausedShort', { names: each.paused.map(({ name }) => name).join(', ') })}`}
                </span>
              </span>
              <span className={css.muted}>{personName(each.byName)}</span>
              <TimeText value={each.at} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
