import type { RoleView } from '@thingwright/contracts/roles.contract'
import { Drawer, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { roleName } from '../role-words.ts'
import css from '../roles.module.css'

/** Who holds a role. */
export function MembersDrawer({ role, onClose }: { role: RoleView; onClose: () => void }) {
  const { t } = useTranslation('roles')
  const members = useRead('roles.members', { params: { id: role.id } })
  return (
    <Drawer open size={560} title={t('membersTitle', { name: roleName(role) })} onClose={onClose}>
      {members.error ? (
        <ErrorState error={members.error} onRetry={() => void members.refetch()} />
      ) : !members.data ? (
        <Skeleton active />
      ) : members.data.items.length === 0 ? (
        <EmptyState
          title={t('noMembers')}
          description={t('noMembersText')}
          action={<Link to="/admin/member">{t('toMembers')}</Link>}
        />
      ) : (
        <ul className={css.members}>
          {members.data.items.map(member => (
            <li key={member.id}>
              <b title={member.displayName || member.username}>{member.displayName || member.username}</b>
              <span className={css.mono}>{member.username}</span>
              {member.state === 'frozen' && <span className={css.frozen}>{t('frozen')}</span>}
            </li>
          ))}
        </ul>
      )}
    </Drawer>
  )
}
