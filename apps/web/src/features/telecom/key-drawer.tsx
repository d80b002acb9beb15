import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import { Alert, Button, Drawer, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { ApiError } from '../../lib/api/api-error.ts'
import { formatNumber } from '../../lib/format.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { CopyId } from '../../ui/copy-id.tsx'
import { Facts } from '../../ui/panel.tsx'
import { PermissionGate } from '../../ui/permission-gate.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { STATE_KIND, saidText } from './hooks.ts'
import { RenewAddress } from './key-dialogs.tsx'
import { RefusedList } from './refused-list.tsx'
import css from './telecom.module.css'
import { useVerify } from './use-verify.ts'

const TABS = ['facts', 'callback', 'refused'] as const
const REFRESH_MS = 10_000

/** One key: what it is, where its platform pushes to, and what was pushed and not taken. */
export function KeyDrawer({
  id,
  onEdit,
  onClose,
}: {
  id: string
  onEdit: (key: TelecomKeyView) => void
  onClose: () => void
}) {
  const { t } = useTranslation('telecom')
  const query = useRead('telecom.get', { params: { id } }, { refetchInterval: REFRESH_MS })
  const [tab, setTab] = useState<string>('facts')
  const [renewing, setRenewing] = useState(false)
  const verify = useVerify()
  const key = query.data
  const gone = query.error instanceof ApiError && query.error.status === 404
  return (
    <>
      <Drawer
        open
        size={640}
        mask={false}
        onClose={onClose}
        title={key ? <span dir="auto">{key.name}</span> : t('title')}
        footer={
          key && (
            <div className={css.buttons}>
              <PermissionGate of="telecom.verify">
                <Button
                  type="primary"
                  loading={verify.pending}
                  disabled={key.state === 'disabled'}
                  onClick={() => void verify.run({ params: { id } })}
                >
                  {t('verify')}
                </Button>
              </PermissionGate>
              <PermissionGate of="telecom.update">
                <Button onClick={() => onEdit(key)}>{t('edit')}</Button>
              </PermissionGate>
            </div>
          )
        }
      >
        {gone ? (
          <EmptyState title={t('gone')} description={t('goneText')} />
        ) : query.isError && !key ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : !key ? (
          <Skeleton active paragraph={{ rows: 10 }} />
        ) : (
          <div className={css.stack} data-testid="telecom-key">
            {key.simulated && <Alert type="info" showIcon title={t('simulatedText')} />}
            <TabBar
              label={t('title')}
              items={TABS.map(one => ({ key: one, label: t(`detail.${one}`) }))}
              active={tab}
              onChange={setTab}
            />
            {tab === 'facts' && <KeyFacts telecomKey={key} />}
            {tab === 'callback' && <Callback telecomKey={key} onRenew={() => setRenewing(true)} />}
            {tab === 'refused' && <RefusedList id={id} />}
          </div>
        )}
      </Drawer>
      {renewing && key && <RenewAddress telecomKey={key} onClose={() => setRenewing(false)} />}
    </>
  )
}

function KeyFacts({ telecomKey: key }: { telecomKey: TelecomKeyView }) {
  const { t } = useTranslation('telecom')
  const isOneNet = key.platform === 'onenet'
  return (
    <Facts
      items={[
        { label: t('state'), value: <StatusTag kind={STATE_KIND[key.state]}>{t(`states.${key.state}`)}</StatusTag> },
        { label: t('verified'), value: key.verifiedAt ? <TimeText value={key.verifiedAt} /> : t('never') },
        ...(key.fault ? [{ label: t('said'), value: <span dir="auto">{saidText(key)}</span>, wide: true }] : []),
        { label: t('platform'), value: t(`platforms.${key.platform}`) },
        { label: t('baseUrl'), value: <CopyId value={key.baseUrl} />, wide: true },
        {
          label: isOneNet ? `${t('userId')} (${t(`auths.${key.auth}`)})` : t('appKey'),
          value: <CopyId value={key.account} />,
        },
        { label: isOneNet ? t('accessKey') : t('appSecret'), value: <code>{key.secretHint}</code> },
        ...(isOneNet
          ? [
              { label: t('token'), value: t(key.hasToken ? 'isSet' : 'isNotSet') },
              { label: t('aesKey'), value: t(key.hasAesKey ? 'isSet' : 'isNotSet') },
            ]
          : []),
        {
          label: t('usedBy'),
          value:
            key.products.length === 0
              ? t('usedByNone')
              : key.products.map(({ id, name, platformProduct }) => (
                  <div key={id} dir="auto">
                    <Link to={`/manage/product/ProductSet/ProductSetLink?id=${id}`}>{name}</Link>{' '}
                    <span className={css.quiet}>{platformProduct}</span>
                  </div>
                )),
          wide: true,
        },
        { label: t('devices'), value: formatNumber(key.devices) },
        ...(key.remark ? [{ label: t('remark'), value: <span dir="auto">{key.remark}</span>, wide: true }] : []),
      ]}
    />
  )
}

function Callback({ telecomKey: key, onRenew }: { telecomKey: TelecomKeyView; onRenew: () => void }) {
  const { t } = useTranslation('telecom')
  return (
    <div className={css.stack}>
      {key.platform === 'onenet' && !key.hasToken && <Alert type="warning" showIcon title={t('tokenMissing')} />}
      {key.platform === 'ctwing' && key.allow.length === 0 && <Alert type="info" showIcon title={t('allowAdvice')} />}
      <Facts
        items={[
          {
            label: t('callbackUrl'),
            value: key.callbackUrl ? <CopyId value={key.callbackUrl} label={t('copyAddress')} /> : t('callbackHidden'),
            wide: true,
          },
          {
            label: t('lastCallback'),
            value: key.lastCallbackAt ? <TimeText value={key.lastCallbackAt} /> : t('never'),
          },
          { label: t('allow'), value: key.allow.length === 0 ? t('allowAll') : key.allow.join(', '), wide: true },
        ]}
      />
      <p className={css.quiet}>{t(`callbackText.${key.platform}`)}</p>
      <div className={css.buttons}>
        <PermissionGate of="telecom.renewAddress">
          <Button danger onClick={onRenew}>
            {t('renew')}
          </Button>
        </PermissionGate>
      </div>
    </div>
  )
}
