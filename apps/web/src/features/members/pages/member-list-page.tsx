import { PlusOutlined } from '@ant-design/icons'
import type { MemberView } from '@thingwright/contracts/members.contract'
import { MEMBER_STATES } from '@thingwright/contracts/members.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useSession } from '../../../lib/session.ts'
import { groupPath } from '../../../ui/group-tree/tree.ts'
import { useGroups } from '../../../ui/group-tree/use-groups.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useAskedCreate } from '../../../ui/list-page/use-asked-create.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Confirmed } from '../components/confirm-dialog.tsx'
import { MemberState, stateKey } from '../components/member-state.tsx'
import { fetchMembers, nameOf, useRoleName, useRoles } from '../hooks.ts'
import css from '../members.module.css'

const InviteDrawer = lazy(async () => ({ default: (await import('../components/invite-drawer.tsx')).InviteDrawer }))
const EditMemberDrawer = lazy(async () => ({
  default: (await import('../components/edit-member-drawer.tsx')).EditMemberDrawer,
}))
const ConfirmDialog = lazy(async () => ({ default: (await import('../components/confirm-dialog.tsx')).ConfirmDialog }))
const HandOverDialog = lazy(async () => ({
  default: (await import('../components/hand-over-dialog.tsx')).HandOverDialog,
}))
const LeaveDialog = lazy(async () => ({ default: (await import('../components/leave-dialog.tsx')).LeaveDialog }))
const MemberSecurityDrawer = lazy(async () => ({
  default: (await import('../components/member-security-drawer.tsx')).MemberSecurityDrawer,
}))
const TransferDialog = lazy(async () => ({
  default: (await import('../components/transfer-dialog.tsx')).TransferDialog,
}))

type Open =
  | { kind: 'invite' }
  | { kind: 'edit' | 'handOver' | 'leave' | 'security' | 'transfer'; member: MemberView }
  | { kind: 'confirm'; what: Confirmed; member: MemberView }

/** More roles than these are counted; the tooltip names all. */
const SHOWN_ROLES = 2
const keyOf = (member: MemberView) => member.id

/** People of the company: who they are, what they may do, when they were last here; and whom it has invited. */
export function MemberListPage() {
  const { t } = useTranslation('members')
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useMay('members.update')
  const mayRule = useMay('security.memberSecurity')
  useAskedCreate(mayWrite, () => setOpen({ kind: 'invite' }))
  const isOwner = useSession(s => s.me?.roles.some(role => role.key === 'owner') ?? false)
  const roleName = useRoleName()
  const { roles } = useRoles()
  const groups = useGroups('device')
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: MEMBER_STATES.map(value => ({ value, label: t(`states.${value}`) })),
      },
      {
        key: 'roleId',
        label: t('role'),
        open: true,
        options: roles.map(role => ({ value: role.id, label: roleName(role) })),
      },
      { key: 'locked', label: t('lock'), options: [{ value: '1', label: t('states.locked') }] },
      {
        key: 'groupId',
        label: t('group'),
        open: true,
        options: (groups.data ?? []).map(group => ({ value: group.id, label: groupPath(groups.data ?? [], group.id) })),
      },
    ],
    [t, roles, roleName, groups.data],
  )
  const state = useListState(filters)
  const columns = useMemo(() => memberColumns(t, roleName), [t, roleName])

  const rowActions = useCallback(
    (member: MemberView): RowAction[] => {
      if (member.state === 'left') return []
      const safety: RowAction[] =
        mayRule && member.state !== 'invited'
          ? [{ key: 'security', label: t('safety.action'), onClick: () => setOpen({ kind: 'security', member }) }]
          : []
      if (!mayWrite) return safety
      const confirm = (what: Confirmed, danger = false): RowAction => ({
        key: what,
        label: t(`confirm.${what}.action`),
        danger,
        onClick: () => setOpen({ kind: 'confirm', what, member }),
      })
      if (member.state === 'invited') return [confirm('resend'), confirm('revoke', true)]
      // What concerns an owner is for owners.
      const mayManage = isOwner || !member.isOwner
      return [
        { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', member }) },
        ...safety,
        ...(member.lockedUntil !== null && mayManage ? [confirm('unlock')] : []),
        ...(member.isSelf || !mayManage
          ? []
          : [
              ...(member.state === 'active' ? [confirm('resetPassword')] : [confirm('unfreeze')]),
              ...(isOwner && member.state === 'active'
                ? [{ key: 'transfer', label: t('transfer'), onClick: () => setOpen({ kind: 'transfer', member }) }]
                : []),
            ]),
        ...(mayManage
          ? [{ key: 'handOver', label: t('handOver'), onClick: () => setOpen({ kind: 'handOver', member }) }]
          : []),
        ...(member.isSelf || !mayManage
          ? []
          : [
              ...(member.state === 'active' ? [confirm('freeze', true)] : []),
              { key: 'leave', label: t('leave'), danger: true, onClick: () => setOpen({ kind: 'leave', member }) },
            ]),
      ] satisfies RowAction[]
    },
    [t, mayWrite, mayRule, isOwner],
  )
  const invite = (
    <PermissionGate of="members.update">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'invite' })}>
        {t('invite')}
      </Button>
    </PermissionGate>
  )
  const close = () => setOpen(null)
  return (
    <>
      <ListPage
        id="members"
        operation="members.list"
        fetchPage={fetchMembers}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchPlaceholder')}
        title={t('title')}
        description={t('lead')}
        actions={invite}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 232 : 184}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: invite }}
        exportName="members"
      />
      <Suspense>
        {open?.kind === 'invite' && <InviteDrawer onClose={close} />}
        {open?.kind === 'edit' && <EditMemberDrawer member={open.member} onClose={close} />}
        {open?.kind === 'confirm' && <ConfirmDialog what={open.what} member={open.member} onClose={close} />}
        {open?.kind === 'handOver' && <HandOverDialog member={open.member} onClose={close} />}
        {open?.kind === 'leave' && <LeaveDialog member={open.member} onClose={close} />}
        {open?.kind === 'security' && <MemberSecurityDrawer member={open.member} onClose={close} />}
        {open?.kind === 'transfer' && <TransferDialog member={open.member} onClose={close} />}
      </Suspense>
    </>
  )
}

function memberColumns(
  t: ReturnType<typeof useTranslation<'members'>>['t'],
  roleName: (role: { name: string; ename: string }) => string,
): ListColumn<MemberView>[] {
  return [
    {
      key: 'name',
      title: t('name'),
      minWidth: 200,
      required: true,
      sortKey: 'name',
      render: member => (
        <NameCell
          name={member.isSelf ? t('yourself', { name: nameOf(member) }) : nameOf(member)}
          {...(member.username ? { id: member.username } : {})}
        />
      ),
      csv: member => nameOf(member),
    },
    {
      key: 'username',
      title: t('username'),
      width: 140,
      initiallyHidden: true,
      render: member => member.username ?? '–',
      csv: member => member.username ?? '',
    },
    {
      key: 'state',
      title: t('state'),
      width: 112,
      render: member => <MemberState member={member} />,
      csv: member => t(`states.${stateKey(member)}`),
    },
    {
      key: 'roles',
      title: t('roles'),
      minWidth: 136,
      rank: 3,
      render: member =>
        member.roles.length === 0 ? (
          '–'
        ) : (
          <span className={css.roles} title={member.roles.map(roleName).join(', ')}>
            {member.roles.slice(0, SHOWN_ROLES).map(role => (
              <span key={role.id} className={css.role} data-owner={role.key === 'owner'}>
                {roleName(role)}
              </span>
            ))}
            {member.roles.length > SHOWN_ROLES && (
              <span className={css.role}>+{member.roles.length - SHOWN_ROLES}</span>
            )}
          </span>
        ),
      csv: member => member.roles.map(roleName).join(', '),
    },
    {
      key: 'contact',
      title: t('contact'),
      width: 196,
      rank: 2,
      render: member => (
        <span className={css.contact} title={[member.phone, member.email].filter(Boolean).join(' · ')}>
          {member.phone ?? member.email ?? '–'}
        </span>
      ),
      csv: member => [member.phone, member.email].filter(Boolean).join(' '),
    },
    {
      key: 'group',
      title: t('group'),
      width: 132,
      rank: 1,
      render: member => <span title={member.group?.name}>{member.group?.name ?? '–'}</span>,
      csv: member => member.group?.name ?? '',
    },
    {
      key: 'lastSignInAt',
      title: t('lastSignInAt'),
      width: 124,
      sortKey: 'lastSignInAt',
      render: member => <TimeText value={member.lastSignInAt} />,
      csv: member => (member.lastSignInAt ? formatDateTime(member.lastSignInAt) : ''),
    },
    {
      key: 'createdAt',
      title: t('createdAt'),
      width: 124,
      sortKey: 'createdAt',
      initiallyHidden: true,
      render: member => <TimeText value={member.createdAt} />,
      csv: member => formatDateTime(member.createdAt),
    },
  ]
}
