import { Alert, Button, Segmented, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { Abilities } from './abilities.tsx'
import { EnginePanel } from './engine-panel.tsx'
import { useSettings } from './hooks.ts'
import { PolicyPanel } from './policy-panel.tsx'
import { QuotaBar } from './quota-bar.tsx'
import { RepliesPage } from './replies-page.tsx'
import css from './settings.module.css'
import { UsageView } from './usage-view.tsx'

const VIEWS = ['settings', 'usage', 'abilities'] as const
type View = (typeof VIEWS)[number]

/** The assistant of the company: which engine answers, what it may be told, what it used and cost, what it can do. */
export function AssistantTab() {
  const { t } = useTranslation('settings')
  const [search, setSearch] = useSearchParams()
  const asked = search.get('view')
  if (asked === 'replies') return <RepliesPage />
  const view: View = VIEWS.find(each => each === asked) ?? 'settings'
  return (
    <Stack>
      <div className={css.views}>
        <Segmented
          aria-label={t('title')}
          value={view}
          options={VIEWS.map(value => ({ value, label: t(`view.${value}`) }))}
          onChange={next =>
            setSearch({ tab: 'assistant', ...(next === 'settings' ? {} : { view: next }) }, { replace: true })
          }
        />
        <Link to="/admin/account?tab=assistant&view=replies">
          <Button>{t('replies.open')}</Button>
        </Link>
      </div>
      {view === 'settings' && <SettingsView />}
      {view === 'usage' && <UsageView />}
      {view === 'abilities' && <Abilities />}
    </Stack>
  )
}

function SettingsView() {
  const { t } = useTranslation('settings')
  const settings = useSettings()
  const mayWrite = useMay('assistant.setSettings')
  if (settings.isError && !settings.data)
    return (
      <Panel>
        <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
      </Panel>
    )
  if (!settings.data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 8 }} />
      </Panel>
    )
  const model = settings.data.engine === 'own' || settings.data.engine === 'installation'
  return (
    <>
      {settings.data.keyRefusedAt !== null && settings.data.engine === 'own' && (
        <Alert
          type="error"
          showIcon
          role="alert"
          title={t('keyRefused', { at: formatDateTime(settings.data.keyRefusedAt) })}
        />
      )}
      {model && (
        <Panel>
          <QuotaBar used={settings.data.usedTokens} limit={settings.data.monthlyTokens} />
        </Panel>
      )}
      <EnginePanel settings={settings.data} mayWrite={mayWrite} reload={async () => (await settings.refetch()).data} />
      <PolicyPanel settings={settings.data} />
    </>
  )
}
