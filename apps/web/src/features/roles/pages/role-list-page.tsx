import { PlusOutlined } from '@ant-design/icons'
import type { RoleView } from '@thingwright/contracts/roles.contract'
import { Button, Modal } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useWork } from '../../../lib/server-state/use-work.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useAskedCreate } from '../../../ui/list-page/use-asked-create.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { scopeName } from '../../../ui/rights/right-words.ts'
import { TimeText } from '../../../ui/time-text.tsx'
import { fetchRoles } from '../hooks.ts'
import { roleName } from '../role-words.ts'
import css from '../roles.module.css'

const RoleDrawer = lazy(async () => ({ default: (await import('../components/role-drawer.tsx')).RoleDrawer }))
const MembersDrawer = lazy(async () => ({ default: (await import('../components/members-drawer.tsx')).MembersDrawer }))
const CompareDrawer = lazy(async () => ({ default: (await import('../components/compare-drawer.tsx')).CompareDrawer }))
const CopyRoleDrawer = lazy(async () => ({
  default: (await import('../components/copy-role-drawer.tsx')).CopyRoleDrawer,
}))

type Open =
  | { kind: 'create' }
  | { kind: 'edit'; id: string }
  | { kind: 'members' | 'compare' | 'copy' | 'remove'; role: RoleView }

const keyOf = (role: RoleView) => role.id

/** Roles of the company: rights, menu and data scope, who holds them. */
export function RoleListPage() {
  const { attempt } = useWork()
  const { t } = useTranslation('roles')
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useMay('roles.update')
  useAskedCreate(mayWrite, () => setOpen({ kind: 'create' }))
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'builtin',
        label: t('origin'),
        options: [
          { value: '1', label: t('builtin') },
          { value: '0', label: t('custom') },
        ],
      },
    ],
    [t],
  )
  const state = useListState(filters)
  const { t: rights } = useTranslation('rights')
  const columns = useMemo(() => columnsOf(t, rights, setOpen), [t, rights])
  const close = () => setOpen(null)

  const preview = useCallback(
    async (role: RoleView) => {
      await attempt(async () => {
        await (await import('../../../lib/preview.ts')).startPreview(role.id)
      })
    },
    [attempt],
  )
  const rowActions = useCallback(
    (role: RoleView): RowAction[] => [
      mayWrite && !role.builtin
        ? { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', id: role.id }) }
        : { key: 'view', label: t('view'), onClick: () => setOpen({ kind: 'edit', id: role.id }) },
      ...(mayWrite ? [{ key: 'copy', label: t('copy'), onClick: () => setOpen({ kind: 'copy', role }) }] : []),
      { key: 'members', label: t('members'), onClick: () => setOpen({ kind: 'members', role }) },
      { key: 'preview', label: t('preview'), onClick: () => void preview(role) },
      { key: 'compare', label: t('compare'), onClick: () => setOpen({ kind: 'compare', role }) },
      ...(mayWrite && !role.builtin
        ? [
            {
              key: 'remove',
              label: t('remove'),
              danger: true,
              disabled: role.memberCount > 0,
              ...(role.memberCount > 0 ? { title: t('inUse', { count: role.memberCount }) } : {}),
              onClick: () => setOpen({ kind: 'remove', role }),
            },
          ]
        : []),
    ],
    [t, mayWrite, preview],
  )
  const create = (
    <PermissionGate of="roles.update">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
        {t('add')}
      </Button>
    </PermissionGate>
  )
  return (
    <>
      <ListPage
        id="roles"
        operation="roles.list"
        fetchPage={fetchRoles}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('searchPlaceholder')}
        title={t('title')}
        description={t('lead')}
        actions={create}
        rowActions={rowActions}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="roles"
        exportPath="/api/v1/roles/export"
      />
      <Suspense>
        {open?.kind === 'create' && <RoleDrawer id={null} onClose={close} />}
        {open?.kind === 'edit' && <RoleDrawer key={open.id} id={open.id} onClose={close} />}
        {open?.kind === 'members' && <MembersDrawer role={open.role} onClose={close} />}
        {open?.kind === 'compare' && <CompareDrawer role={open.role} onClose={close} />}
        {open?.kind === 'copy' && (
          <CopyRoleDrawer role={open.role} onClose={close} onMade={id => setOpen({ kind: 'edit', id })} />
        )}
      </Suspense>
      {open?.kind === 'remove' && (
        <RemoveDialog
          role={open.role}
          onClose={close}
          onRemoved={() => {
            notify.success(t('removed', { name: roleName(open.role) }))
            close()
          }}
        />
      )}
    </>
  )
}

function RemoveDialog({ role, onClose, onRemoved }: { role: RoleView; onClose: () => void; onRemoved: () => void }) {
  const { t } = useTranslation('roles')
  const { run, pending } = useAct('roles.remove', { done: onRemoved })
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle', { name: roleName(role) })}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: pending }}
      onOk={() => void run({ params: { id: role.id } })}
      onCancel={onClose}
    >
      {t('removeText')}
    </Modal>
  )
}

function columnsOf(
  t: ReturnType<typeof useTranslation<'roles'>>['t'],
  rights: ReturnType<typeof useTranslation<'rights'>>['t'],
  open: (what: Open) => void,
): ListColumn<RoleView>[] {
  return [
    {
      key: 'name',
      title: t('name'),
      minWidth: 220,
      required: true,
      sortKey: 'name',
      render: role => (
        <button type="button" className={css.nameCell} onClick={() => open({ kind: 'edit', id: role.id })}>
          <b title={roleName(role)}>{roleName(role)}</b>
          <span title={role.description}>
            {role.description || (role.builtin ? t(`builtinText.${role.key as 'owner'}`, { defaultValue: '' }) : '')}
          </span>
        </button>
      ),
      csv: role => roleName(role),
    },
    {
      key: 'origin',
      title: t('origin'),
      width: 108,
      rank: 2,
      render: role => (
        <span className={role.builtin ? css.builtin : css.custom}>{role.builtin ? t('builtin') : t('custom')}</span>
      ),
      csv: role => (role.builtin ? t('builtin') : t('custom')),
    },
    {
      key: 'dataScope',
      title: t('dataScope'),
      width: 168,
      render: role => scopeName(rights, role.dataScope),
      csv: role => scopeName(rights, role.dataScope),
    },
    {
      key: 'permissions',
      title: t('rights'),
      width: 92,
      rank: 1,
      align: 'right',
      render: role => (role.permissions.includes('*') ? t('all') : formatNumber(role.permissions.length)),
      csv: role => (role.permissions.includes('*') ? t('all') : role.permissions.join(' ')),
    },
    {
      key: 'memberCount',
      title: t('members'),
      width: 92,
      align: 'right',
      sortKey: 'memberCount',
      render: role => (
        <Button type="link" size="small" onClick={() => open({ kind: 'members', role })}>
          {formatNumber(role.memberCount)}
        </Button>
      ),
      csv: role => role.memberCount,
    },
    {
      key: 'updatedAt',
      title: t('updatedAt'),
      width: 132,
      render: role => <TimeText value={role.updatedAt} />,
      csv: role => formatDateTime(role.updatedAt),
    },
  ]
}
