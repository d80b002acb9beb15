import type { PaymentProviderView } from '@thingwright/contracts/payment-providers.contract'
import { Alert, Button, Popconfirm, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { CopyId } from '../../ui/copy-id.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Facts, Panel, Stack } from '../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { TabBar } from '../../ui/tab-bar.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { METERING } from './hooks.ts'
import { MerchantDrawer } from './merchant-drawer.tsx'
import css from './tariffs.module.css'
import type { Tabs } from './tariffs-page.tsx'

/** The company's own accounts at WeChat Pay and Alipay, into which its end users pay. */
export function MerchantAccounts({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('tariffs')
  const allowed = useMay('merchantAccounts.list')
  const read = useRead('merchantAccounts.list', {}, { enabled: allowed })
  const settings = useRead('meterSettings.get', {}, { enabled: allowed })
  const [editing, setEditing] = useState<PaymentProviderView | null>(null)
  if (!allowed) return <NoPermissionState of="merchantAccounts.list" />
  const used = read.data?.items.some(item => item.enabled)
  return (
    <>
      <PageHeader title={t('title')} description={t('merchant.lead')} />
      <TabBar label={t('title')} items={tabs.items} active={tabs.active} onChange={tabs.onChange} />
      {read.isError ? (
        <Panel>
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        </Panel>
      ) : !read.data ? (
        <Panel>
          <Skeleton active paragraph={{ rows: 8 }} />
        </Panel>
      ) : (
        <Stack>
          {used && settings.data && settings.data.online !== 'merchant' && (
            <Alert type="warning" showIcon title={t('merchant.notChosen')} />
          )}
          {read.data.items.map(item => (
            <One key={item.kind} item={item} onEdit={() => setEditing(item)} />
          ))}
        </Stack>
      )}
      {editing && <MerchantDrawer account={editing} onClose={() => setEditing(null)} />}
    </>
  )
}

function One({ item, onEdit }: { item: PaymentProviderView; onEdit: () => void }) {
  const { t } = useTranslation('tariffs')
  const mayWrite = useMay('merchantAccounts.set')
  const set = useAct('merchantAccounts.set', { touches: METERING })
  const test = useAct('merchantAccounts.test', { touches: METERING })
  const remove = useAct('merchantAccounts.remove', {
    touches: METERING,
    always: true,
    done: () => notify.success(t('merchant.removed')),
  })
  const params = { kind: item.kind }
  return (
    <Panel
      title={
        <span className={css.line}>
          {t(`way.${item.kind}`)}
          <StatusTag kind={item.enabled ? 'success' : 'neutral'}>
            {t(item.enabled ? 'merchant.on' : item.hasKeys ? 'merchant.off' : 'merchant.none')}
          </StatusTag>
        </span>
      }
      actions={
        mayWrite && (
          <span className={css.line} data-testid={`merchant-${item.kind}`}>
            {item.hasKeys && (
              <>
                <Button loading={test.pending} onClick={() => void test.run({ params })}>
                  {t('merchant.test')}
                </Button>
                <Button
                  loading={set.pending}
                  onClick={() => void set.run({ params, body: { version: item.version, enabled: !item.enabled } })}
                >
                  {t(item.enabled ? 'merchant.disable' : 'merchant.enable')}
                </Button>
                <Popconfirm
                  title={t('merchant.removeText')}
                  okText={t('merchant.remove')}
                  cancelText={t('cancel')}
                  onConfirm={() => void remove.run({ params })}
                >
                  <Button danger loading={remove.pending}>
                    {t('merchant.remove')}
                  </Button>
                </Popconfirm>
              </>
            )}
            <Button type="primary" onClick={onEdit}>
              {t(item.hasKeys ? 'merchant.edit' : 'merchant.setUp')}
            </Button>
          </span>
        )
      }
    >
      <Facts
        items={[
          ...(item.hasKeys
            ? [
                { label: t('merchant.appId'), value: item.appId },
                ...(item.kind === 'wechat'
                  ? [
                      { label: t('merchant.merchantId'), value: item.merchantId },
                      { label: t('merchant.serial'), value: item.serial },
                      { label: t('merchant.platformKeyId'), value: item.platformKeyId },
                      { label: t('merchant.apiKey'), value: item.apiKey ?? '–' },
                    ]
                  : []),
                { label: t('merchant.privateKey'), value: item.privateKey ?? '–' },
                { label: t(`merchant.platformKey.${item.kind}`), value: item.platformKey ?? '–' },
                { label: t('merchant.tested'), value: <Tested test={item.test} />, wide: true },
              ]
            : []),
          { label: t('merchant.callback'), value: <CopyId value={item.callbackUrl} />, wide: true },
        ]}
      />
    </Panel>
  )
}

function Tested({ test }: { test: PaymentProviderView['test'] }) {
  const { t } = useTranslation('tariffs')
  if (!test) return t('merchant.notTested')
  return (
    <>
      <StatusTag kind={test.state === 'ok' ? 'success' : 'error'}>
        {test.state === 'ok' ? t('merchant.testOk') : t('merchant.testFailed', { said: test.said })}
      </StatusTag>{' '}
      <TimeText value={test.at} />
    </>
  )
}
