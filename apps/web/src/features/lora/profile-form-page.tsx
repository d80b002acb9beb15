import { LORA_PROFILE_DEFAULTS } from '@thingwright/contracts/lora.words'
import type { LoraProfileView } from '@thingwright/contracts/lora-profiles.contract'
import { Alert, Skeleton } from 'antd'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { ApiError } from '../../lib/api/api-error.ts'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import type { Values } from '../../ui/schema-form/field.ts'
import { EmptyState, ErrorState, NoPermissionState } from '../../ui/states.tsx'
import { CodecTester } from './codec-tester.tsx'
import { ConnectionsButton } from './connections-button.tsx'
import { PROFILES, tagRows, tagsOf, useConnections } from './hooks.ts'
import { PROFILE_TABS, profileFields } from './profile-fields.tsx'
import { TabbedForm } from './tabbed-form.tsx'
import { TemplatePicker } from './template-picker.tsx'

/** Makes a device profile. */
export function ProfileAddPage() {
  const { t } = useTranslation('lora')
  const may = useMay('loraProfiles.create')
  const { query, items } = useConnections()
  return (
    <>
      <PageHeader title={t('profile.addTitle')} crumbs={[{ title: t('profile.title'), to: PROFILES }]} />
      {!may ? (
        <NoPermissionState of="loraProfiles.create" />
      ) : query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton active />
      ) : items.length === 0 ? (
        <EmptyState
          title={t('connection.emptyTitle')}
          description={t('connection.emptyText')}
          action={<ConnectionsButton />}
        />
      ) : (
        <NewProfile />
      )}
    </>
  )
}

/** A new profile, empty or as a device of the product library needs it. */
function NewProfile() {
  const [template, setTemplate] = useState<string | null>(null)
  return (
    <TemplatePicker chosen={template} onChange={setTemplate}>
      {(values, ready) =>
        ready ? <ProfileForm key={template ?? ''} profile={null} from={values} /> : <Skeleton active />
      }
    </TemplatePicker>
  )
}

/** Changes a device profile, or shows it to those who may only look. */
export function ProfileEditPage() {
  const { t } = useTranslation('lora')
  const [search] = useSearchParams()
  const id = search.get('id') ?? ''
  const may = useMay('loraProfiles.get')
  const query = useRead(
    'loraProfiles.get',
    { params: { id } },
    { enabled: may && id !== '', refetchOnWindowFocus: false },
  )
  // The form begins with what was there when it was opened; nothing may change it under the typing.
  const first = useRef<LoraProfileView | null>(null)
  if (first.current?.id !== id) first.current = query.data ?? null
  const profile = first.current
  const gone = id === '' || (query.error instanceof ApiError && [404, 400].includes(query.error.status))
  return (
    <>
      <PageHeader title={t('profile.editTitle')} crumbs={[{ title: t('profile.title'), to: PROFILES }]} />
      {!may ? (
        <NoPermissionState of="loraProfiles.get" />
      ) : gone ? (
        <EmptyState title={t('profile.gone')} description={t('goneText')} />
      ) : query.isError && !profile ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : profile ? (
        <ProfileForm key={id} profile={profile} />
      ) : (
        <Skeleton active />
      )}
    </>
  )
}

function ProfileForm({ profile, from = null }: { profile: LoraProfileView | null; from?: Values | null }) {
  const { t } = useTranslation('lora')
  const navigate = useNavigate()
  const { items: connections } = useConnections()
  const mayUpdate = useMay('loraProfiles.update')
  const readOnly = profile !== null && (!mayUpdate || profile.shared || profile.stale !== null)
  const create = useAct('loraProfiles.create')
  const update = useAct('loraProfiles.update')
  const [chosen, setChosen] = useState({
    connectionId: profile?.connectionId ?? connections[0]?.id,
    region: profile?.region ?? 'CN470',
  })
  const regions = useRead(
    'loraRegions.list',
    { query: chosen.connectionId ? { connectionId: chosen.connectionId } : {} },
    { staleTime: 60_000, keep: true },
  ).data?.items
  const fields = useMemo(
    () =>
      profileFields({
        t,
        connections: profile ? null : connections,
        regions: (regions ?? []).filter(({ region }) => region === chosen.region),
        readOnly,
      }),
    [t, profile, connections, regions, chosen.region, readOnly],
  )
  // What is there when the form opens; connections that come later are only choices.
  const [initial] = useState<Values>(() => {
    const { tags, ...values } = profile ?? {
      ...LORA_PROFILE_DEFAULTS,
      name: '',
      region: 'CN470',
      connectionId: connections[0]?.id,
      ...from,
    }
    return { ...values, tags: tagRows(tags) }
  })
  const leave = () => setTimeout(() => void navigate(PROFILES), 0)
  return (
    <Panel
      title={profile?.name}
      hint={profile ? t('profile.remoteId', { id: profile.remoteId }) : t('profile.formLead')}
    >
      {profile?.stale && (
        <Alert
          type="warning"
          showIcon
          title={t('stale')}
          description={profile.stale === 'disabled' ? t('connection.states.disabled') : profile.stale}
        />
      )}
      {profile?.shared && <Alert type="info" showIcon title={t('profile.sharedText')} />}
      <TabbedForm
        label={t('profile.tabsLabel')}
        tabs={PROFILE_TABS}
        tabLabel={tab => t(`profile.tabs.${tab}`)}
        fields={fields}
        initial={initial}
        readOnly={readOnly}
        beside={(tab, values) =>
          tab === 'codec' && values.codecRuntime === 'js' ? (
            <CodecTester script={typeof values.codecScript === 'string' ? values.codecScript : ''} />
          ) : null
        }
        submitText={profile ? t('save') : t('create')}
        onValues={values => {
          const next = {
            connectionId: profile?.connectionId ?? (values.connectionId as string | undefined),
            region: (values.region as typeof chosen.region | undefined) ?? chosen.region,
          }
          if (next.connectionId !== chosen.connectionId || next.region !== chosen.region) setChosen(next)
        }}
        onSubmit={async values => {
          const { tags, ...rest } = values
          const given = { ...rest, ...(tags === undefined ? {} : { tags: tagsOf(tags) }) }
          if (profile) {
            const { region: _, ...body } = given as Record<string, unknown>
            await update.send({
              params: { id: profile.id },
              body: { ...body, version: profile.version } as Body<'loraProfiles.update'>,
            })
          } else await create.send({ body: given as Body<'loraProfiles.create'> })
          notify.success(t('saved'))
          leave()
        }}
        onCancel={leave}
      />
    </Panel>
  )
}
