import { CaretDownOutlined, CaretRightOutlined } from '@ant-design/icons'
import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { useSession } from '../../../lib/session.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { USERS, userAddress } from '../addresses.ts'
import css from '../end-users.module.css'
import { UserState } from '../user-state.tsx'

/** So many end users of a level are shown; a longer level links to the list. */
const SHOWN = 100

/** The tree of end users; a level is read when it is opened. */
export function TreeTab() {
  const { t } = useTranslation('end-users')
  const mine = useSession(s => (s.me?.kind === 'end_user' ? s.me.id : null))
  return (
    <Panel flush title={t('tab.tree')}>
      <Level parentId={mine} empty={<EmptyState title={t('emptyTitle')} description={t('emptyText')} />} />
    </Panel>
  )
}

function Level({ parentId, empty }: { parentId: string | null; empty?: React.ReactNode }) {
  const { t } = useTranslation('end-users')
  const level = useRead('endUsers.list', {
    query: { limit: SHOWN, sort: 'name', ...(parentId === null ? { top: '1' } : { parentId }) },
  })
  if (level.isError) return <ErrorState error={level.error} onRetry={() => void level.refetch()} />
  if (!level.data) return <Skeleton active paragraph={{ rows: 2 }} />
  if (level.data.items.length === 0) return <>{empty ?? null}</>
  return (
    <ul className={css.rows}>
      {level.data.items.map(user => (
        <Branch key={user.id} user={user} />
      ))}
      {level.data.nextCursor !== null && (
        <li className={css.row}>
          <Link to={parentId === null ? `${USERS}?top=1` : `${USERS}?parentId=${parentId}`}>{t('moreOfThem')}</Link>
        </li>
      )}
    </ul>
  )
}

function Branch({ user }: { user: EndUserView }) {
  const { t } = useTranslation('end-users')
  const [open, setOpen] = useState(false)
  return (
    <li>
      <div className={css.row}>
        <span>
          {user.subUsers > 0 && (
            <Button
              type="text"
              size="small"
              aria-expanded={open}
              aria-label={t('openBranch', { name: user.name })}
              icon={open ? <CaretDownOutlined aria-hidden /> : <CaretRightOutlined aria-hidden />}
              onClick={() => setOpen(!open)}
            />
          )}{' '}
          <Link to={userAddress(user.id)}>{user.name}</Link>{' '}
          {user.subUsers > 0 && <span className={css.muted}>{t('subUsersCount', { count: user.subUsers })}</span>}
        </span>
        <span className={css.muted}>
          {t('devicesOnline')} {formatNumber(user.devices.online)} / {formatNumber(user.devices.total)}
        </span>
        <UserState state={user.state} />
      </div>
      {open && <Level parentId={user.id} />}
    </li>
  )
}
