import { PlusOutlined } from '@ant-design/icons'
import type { EndUserView } from '@thingwright/contracts/end-users.contract'
import { END_USER_STATES } from '@thingwright/contracts/end-users.words'
import { Button } from 'antd'
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { NameCell } from '../../../ui/list-page/name-cell.tsx'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { alarmsOf, devicesOf, userAddress } from '../addresses.ts'
import type { Asked } from '../forms/ask-dialog.tsx'
import { fetchEndUsers, usePackages } from '../hooks.ts'
import { UserState } from '../user-state.tsx'

const UserDrawer = lazy(async () => ({ default: (await import('../forms/user-drawer.tsx')).UserDrawer }))
const AskDialog = lazy(async () => ({ default: (await import('../forms/ask-dialog.tsx')).AskDialog }))
const LinkDialog = lazy(async () => ({ default: (await import('../forms/link-dialog.tsx')).LinkDialog }))

type Open =
  | { kind: 'create' }
  | { kind: 'edit'; user: EndUserView }
  | { kind: 'ask'; what: Asked; user: EndUserView }
  | { kind: 'link'; name: string; link: string; sentTo: string | null }

const keyOf = (row: EndUserView) => row.id
const hrefOf = (row: EndUserView) => userAddress(row.id)

type Head = { title: string; description: string }
type Tabs = { items: { key: string; label: string }[]; active: string; onChange: (key: string) => void }

/** Every end user: who he is, how his devices are, whether he may come in. */
export function EndUserList({ head, tabs }: { head: Head; tabs: Tabs }) {
  const { t } = useTranslation('end-users')
  const [open, setOpen] = useState<Open | null>(null)
  const mayWrite = useMay('endUsers.update')
  const mayEnter = useMay('endUsers.enter')
  const { packages } = usePackages()
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        key: 'state',
        label: t('state'),
        options: END_USER_STATES.map(value => ({ value, label: t(`states.${value}`) })),
      },
      {
        key: 'packageId',
        label: t('package'),
        open: true,
        options: packages.map(({ id, name }) => ({ value: id, label: name })),
      },
      { key: 'top', label: t('level'), options: [{ value: '1', label: t('topOnly') }] },
      { key: 'parentId', label: t('parent'), open: true, chipOnly: true, display: () => t('oneParent') },
    ],
    [t, packages],
  )
  const state = useListState(filters)
  const columns = useMemo(() => columnsOf(t), [t])
  const rowActions = useCallback(
    (user: EndUserView): RowAction[] => {
      const ask = (what: Asked, danger = false): RowAction => ({
        key: what,
        label: t(`ask.${what}.action`),
        danger,
        onClick: () => setOpen({ kind: 'ask', what, user }),
      })
      return [
        { key: 'open', label: t('open'), to: userAddress(user.id) },
        ...(mayWrite
          ? [
              { key: 'edit', label: t('edit'), onClick: () => setOpen({ kind: 'edit', user }) },
              ask('invite'),
              ...(user.state === 'frozen' ? [ask('unfreeze')] : [ask('freeze', true)]),
            ]
          : []),
        ...(mayEnter && user.state === 'active' ? [ask('enter')] : []),
        ...(mayWrite ? [ask('remove', true)] : []),
      ]
    },
    [t, mayWrite, mayEnter],
  )
  const create = (
    <PermissionGate of="endUsers.create">
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
        {t('create')}
      </Button>
    </PermissionGate>
  )
  const close = useCallback(() => setOpen(null), [])
  const showLink = (name: string, link: string, sentTo: string | null) => setOpen({ kind: 'link', name, link, sentTo })
  return (
    <>
      <ListPage
        id="end-users"
        operation="endUsers.list"
        fetchPage={fetchEndUsers}
        rowKey={keyOf}
        rowHref={hrefOf}
        columns={columns}
        filters={filters}
        state={state}
        searchPlaceholder={t('search')}
        title={head.title}
        description={head.description}
        actions={create}
        tabs={tabs}
        rowActions={rowActions}
        actionsWidth={locale() === 'en' ? 200 : 176}
        empty={{ title: t('emptyTitle'), description: t('emptyText'), action: create }}
        exportName="end-users"
        exportPath="/api/v1/end-users/export"
      />
      <Suspense>
        {open?.kind === 'create' && <UserDrawer user={null} onClose={close} onLink={showLink} />}
        {open?.kind === 'edit' && <UserDrawer user={open.user} onClose={close} onLink={showLink} />}
        {open?.kind === 'ask' && <AskDialog what={open.what} user={open.user} onClose={close} onLink={showLink} />}
        {open?.kind === 'link' && <LinkDialog name={open.name} link={open.link} sentTo={open.sentTo} onClose={close} />}
      </Suspense>
    </>
  )
}

function columnsOf(t: ReturnType<typeof useTranslation<'end-users'>>['t']): ListColumn<EndUserView>[] {
  return [
    {
      key: 'name',
      title: t('name'),
      minWidth: 180,
      required: true,
      sortKey: 'name',
      render: row => <NameCell name={row.name} id={row.username} to={hrefOf(row)} />,
      csv: row => row.name,
    },
    {
      key: 'username',
      title: t('username'),
      width: 140,
      initiallyHidden: true,
      render: row => row.username,
      csv: row => row.username,
    },
    {
      key: 'state',
      title: t('state'),
      width: 104,
      render: row => <UserState state={row.state} />,
      csv: row => t(`states.${row.state}`),
    },
    {
      key: 'parent',
      title: t('parent'),
      width: 120,
      rank: 2,
      render: row => (row.parent ? <Link to={userAddress(row.parent.id)}>{row.parent.name}</Link> : '–'),
      csv: row => row.parent?.name ?? '',
    },
    {
      key: 'package',
      title: t('package'),
      width: 112,
      rank: 1,
      render: row => row.package?.name ?? t('ownRights'),
      csv: row => row.package?.name ?? t('ownRights'),
    },
    {
      key: 'devices',
      title: t('devicesOnline'),
      width: 124,
      rank: 5,
      align: 'right',
      render: row => (
        <Link to={devicesOf(row.id)}>
          {formatNumber(row.devices.online)} / {formatNumber(row.devices.total)}
        </Link>
      ),
      csv: row => `${row.devices.online}/${row.devices.total}`,
    },
    {
      key: 'openAlarms',
      title: t('openAlarms'),
      width: 96,
      rank: 4,
      align: 'right',
      render: row => <Link to={alarmsOf(row.id)}>{formatNumber(row.openAlarms)}</Link>,
      csv: row => row.openAlarms,
    },
    {
      key: 'smsLeft',
      title: t('smsLeft'),
      width: 96,
      rank: 0,
      align: 'right',
      render: row => <span title={t('smsLeftHint')}>{row.smsLeft === null ? '–' : formatNumber(row.smsLeft)}</span>,
      csv: row => row.smsLeft ?? '',
    },
    {
      key: 'lastSignInAt',
      title: t('lastSignInAt'),
      width: 124,
      sortKey: 'lastSignInAt',
      render: row => <TimeText value={row.lastSignInAt} />,
      csv: row => formatDateTime(row.lastSignInAt),
    },
    {
      key: 'expiresAt',
      title: t('expiresAt'),
      width: 124,
      rank: 3,
      sortKey: 'expiresAt',
      render: row => <TimeText value={row.expiresAt} />,
      csv: row => formatDateTime(row.expiresAt),
    },
  ]
}
