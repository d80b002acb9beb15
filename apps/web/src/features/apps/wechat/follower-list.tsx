import type { FollowerView } from '@thingwright/contracts/wechat-followers.contract'
import { Button, Modal, Select } from 'antd'
import { useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, type Query } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ListPage } from '../../../ui/list-page/list-page.tsx'
import type { FetchPage, ListColumn, ListFilter, RowAction } from '../../../ui/list-page/list-types.ts'
import { useListState } from '../../../ui/list-page/use-list-state.ts'
import { QrCode } from '../../../ui/qr-code.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../apps.module.css'
import { SimulatedAct } from '../simulated-act.tsx'

const keyOf = (row: FollowerView) => row.id

/** Followers of the account and the contacts to whom they are bound, by QR code or by hand. */
export function FollowerList({
  accountId,
  simulated,
  tabs,
}: {
  accountId: string
  /** At the product's own simulator of WeChat people are played from here. */
  simulated: boolean
  tabs: { items: { key: string; label: string }[]; active: string; onChange: (key: string) => void }
}) {
  const { t } = useTranslation('apps')
  const mayWrite = useMay('wechatFollowers.bind')
  const [binding, setBinding] = useState<FollowerView | 'qr' | null>(null)
  const unbind = useAct('wechatFollowers.unbind', {
    touches: ['contacts'],
    done: () => notify.success(t('follower.unbound')),
  })
  const leave = useAct('wechatSimulator.unfollow', { touches: ['contacts', 'wechatFollowers'] })
  const fetchPage = useMemo<FetchPage<FollowerView>>(
    () =>
      ({ filters, ...input }, signal) =>
        call('wechatFollowers.list', {
          params: { id: accountId },
          query: { ...input, ...filters } as Query<'wechatFollowers.list'>,
          signal,
        }),
    [accountId],
  )
  const filters = useMemo<ListFilter[]>(
    () =>
      (['bound', 'subscribed'] as const).map(key => ({
        key,
        label: t(`follower.${key}`),
        options: [
          { value: '1', label: t('follower.yes') },
          { value: '0', label: t('follower.no') },
        ],
      })),
    [t],
  )
  const state = useListState(filters)
  const columns = useMemo<ListColumn<FollowerView>[]>(
    () => [
      {
        key: 'openid',
        title: 'OpenID',
        minWidth: 220,
        required: true,
        render: row => (
          <span className={css.mono} title={row.openid}>
            {row.openid}
          </span>
        ),
        csv: row => row.openid,
      },
      {
        key: 'nickname',
        title: t('follower.nickname'),
        width: 140,
        rank: 1,
        render: row => row.nickname || '–',
        csv: row => row.nickname,
      },
      {
        key: 'contact',
        title: t('follower.contact'),
        width: 160,
        required: true,
        render: row => <span dir="auto">{row.contact?.name ?? '–'}</span>,
        csv: row => row.contact?.name ?? '',
      },
      {
        key: 'subscribed',
        title: t('follower.subscribed'),
        width: 104,
        rank: 3,
        render: row => (
          <StatusTag kind={row.subscribed ? 'success' : 'disabled'}>
            {t(row.subscribed ? 'follower.yes' : 'follower.no')}
          </StatusTag>
        ),
        csv: row => t(row.subscribed ? 'follower.yes' : 'follower.no'),
      },
      {
        key: 'lastAt',
        title: t('follower.lastAt'),
        width: 132,
        rank: 2,
        render: row => <TimeText value={row.lastAt} />,
      },
    ],
    [t],
  )
  const rowActions = useCallback(
    (row: FollowerView): RowAction[] =>
      mayWrite
        ? [
            {
              key: 'bind',
              label: t(row.contact ? 'follower.rebind' : 'follower.bindOne'),
              onClick: () => setBinding(row),
            },
            {
              key: 'unbind',
              label: t('follower.unbind'),
              danger: true,
              disabled: row.contact === null,
              onClick: () => void unbind.run({ params: { id: accountId, followerId: row.id } }),
            },
            ...(simulated
              ? [
                  {
                    key: 'leave',
                    label: t('simulator.unfollow'),
                    disabled: !row.subscribed,
                    onClick: () => void leave.run({ params: { id: accountId }, body: { followerId: row.id } }),
                  },
                ]
              : []),
          ]
        : [],
    [t, mayWrite, unbind, leave, simulated, accountId],
  )
  const bindByQr = mayWrite && (
    <Button type="primary" onClick={() => setBinding('qr')}>
      {t('follower.byQr')}
    </Button>
  )
  return (
    <>
      <ListPage
        id="wechat-followers"
        operation="wechatFollowers.list"
        about={accountId}
        fetchPage={fetchPage}
        rowKey={keyOf}
        columns={columns}
        filters={filters}
        state={state}
        tabs={tabs}
        searchPlaceholder={t('follower.search')}
        title={t('wechat.title')}
        description={t('follower.lead')}
        actions={bindByQr}
        actionsWidth={locale() === 'en' ? 240 : 184}
        rowActions={rowActions}
        empty={{ title: t('follower.empty'), description: t('follower.emptyText'), action: bindByQr }}
        exportName="wechat-followers"
        exportPath={`/api/v1/wechat-accounts/${accountId}/followers/export`}
      />
      {binding !== null && (
        <BindDialog
          accountId={accountId}
          simulated={simulated}
          follower={binding === 'qr' ? null : binding}
          onClose={() => setBinding(null)}
        />
      )}
    </>
  )
}

/** Chooses the contact that is bound to a follower, or to the WeChat user who scans the code. */
function BindDialog({
  accountId,
  simulated,
  follower,
  onClose,
}: {
  accountId: string
  simulated: boolean
  follower: FollowerView | null
  onClose: () => void
}) {
  const { t } = useTranslation('apps')
  const [q, setQ] = useState('')
  const [contactId, setContactId] = useState<string | null>(follower?.contact?.id ?? null)
  const contacts = useRead('contacts.list', { query: { limit: 50, ...(q ? { q } : {}) } }, { keep: true })
  const scene = useAct('wechatFollowers.scene')
  const bind = useAct('wechatFollowers.bind', {
    touches: ['contacts'],
    done: () => {
      notify.success(t('follower.boundNow'))
      onClose()
    },
  })
  const scan = useAct('wechatSimulator.scan', {
    touches: ['contacts', 'wechatFollowers'],
    done: () => {
      notify.success(t('simulator.scanned'))
      onClose()
    },
  })
  const { reply: made } = scene
  const go = () => {
    if (!contactId) return
    if (follower) void bind.run({ params: { id: accountId, followerId: follower.id }, body: { contactId } })
    else void scene.run({ params: { id: accountId }, body: { contactId } })
  }
  return (
    <Modal
      open
      title={t(follower ? 'follower.bind' : 'follower.byQr')}
      okText={t(follower ? 'follower.bind' : 'follower.makeQr')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: contactId === null, loading: bind.pending || scene.pending }}
      onOk={go}
      onCancel={onClose}
    >
      <p>{t(follower ? 'follower.bindText' : 'follower.qrText')}</p>
      <Select
        aria-label={t('follower.contact')}
        style={{ width: '100%' }}
        showSearch
        filterOption={false}
        placeholder={t('follower.chooseContact')}
        value={contactId}
        options={(contacts.data?.items ?? []).map(item => ({ value: item.id, label: item.name }))}
        onSearch={setQ}
        onChange={setContactId}
      />
      {scene.reply && (
        <div className={css.address}>
          <QrCode value={scene.reply.url} label={t('follower.qr')} />
          <span className={css.note}>
            {t('follower.until')} <TimeText value={scene.reply.expiresAt} />
          </span>
          {simulated && made && (
            <SimulatedAct>
              <Button
                loading={scan.pending}
                onClick={() => void scan.run({ params: { id: accountId }, body: { ticket: made.ticket } })}
              >
                {t('simulator.scan')}
              </Button>
            </SimulatedAct>
          )}
        </div>
      )}
    </Modal>
  )
}
