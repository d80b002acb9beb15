import { Alert, Button } from 'antd'
import { useEffect, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { Body, Reply } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel, Stack } from '../../../ui/panel.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { useOverview } from '../hooks.ts'
import css from '../security.module.css'
import { Loaded } from './loaded.tsx'
import { Row } from './row.tsx'
import { secretField } from './secret-field.tsx'

export function SsoTab() {
  const { t } = useTranslation('security')
  const mayRule = useMay('security.oidc')
  const overview = useOverview()
  const [search, setSearch] = useSearchParams()
  useEffect(() => {
    if (!search.has('linked')) return
    notify.success(t('sso.linked'))
    setSearch({ tab: 'sso' }, { replace: true })
  }, [search, setSearch, t])
  const link = useAct('security.linkOidc', { own: false, done: ({ url }) => window.location.assign(url) })
  const unlink = useAct('security.unlinkOidc', { done: () => notify.success(t('sso.unlinked')) })
  const failed = search.get('failed')
  return (
    <Stack>
      {failed !== null && (
        <Alert
          type="error"
          showIcon
          role="alert"
          title={t('sso.notLinked')}
          description={t(`sso.failed.${failed.replace(/^oidc\./, '')}`, {
            defaultValue: t('sso.failed.other', { code: failed.slice(0, 60) }),
          })}
          closable={{ closeIcon: true, onClose: () => setSearch({ tab: 'sso' }, { replace: true }) }}
        />
      )}
      <Loaded query={overview}>
        {data => (
          <Panel
            title={t('sso.mine')}
            hint={t('sso.mineHint')}
            flush
            actions={
              <Button disabled={!data.ssoAvailable} onClick={() => void link.run()}>
                {t('sso.link')}
              </Button>
            }
          >
            {data.identities.length === 0 ? (
              <EmptyState
                title={t('sso.none')}
                description={t(data.ssoAvailable ? 'sso.noneText' : 'sso.notAvailable')}
              />
            ) : (
              <ul className={css.rows}>
                {data.identities.map(identity => (
                  <Row
                    key={identity.id}
                    title={identity.label}
                    text={
                      <>
                        {identity.issuer} · <TimeText value={identity.createdAt} />
                      </>
                    }
                    actions={
                      <Button onClick={() => void unlink.run({ params: { id: identity.id } })}>
                        {t('sso.unlink')}
                      </Button>
                    }
                  />
                ))}
              </ul>
            )}
          </Panel>
        )}
      </Loaded>
      {mayRule && <Provider />}
    </Stack>
  )
}

function Provider() {
  const settings = useRead('security.oidc')
  const roles = useRead('roles.list', { query: {} })
  return (
    <Loaded query={settings} of="security.oidc">
      {data => (
        <ProviderForm
          key={data.version}
          data={data}
          roles={(roles.data?.items ?? []).filter(role => role.key !== 'owner')}
        />
      )}
    </Loaded>
  )
}

function ProviderForm({
  data,
  roles,
}: {
  data: Reply<'security.oidc'>
  roles: readonly { id: string; name: string; ename: string }[]
}) {
  const { t, i18n } = useTranslation('security')
  const setOidc = useAct('security.setOidc')
  const english = i18n.language === 'en'
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'bool', key: 'enabled', label: t('sso.enabled') },
      {
        kind: 'string',
        key: 'issuer',
        label: t('sso.issuer'),
        help: t('sso.issuerHelp'),
        required: true,
        maxLength: 500,
        mono: true,
      },
      {
        kind: 'string',
        key: 'clientId',
        label: t('sso.clientId'),
        required: true,
        maxLength: 256,
        mono: true,
        half: true,
      },
      secretField({
        key: 'clientSecret',
        label: t('sso.clientSecret'),
        autoComplete: 'off',
        maxLength: 512,
        ...(data.hasSecret ? { help: t('sso.secretKept') } : { required: true }),
      }),
      { kind: 'string', key: 'domain', label: t('sso.domain'), help: t('sso.domainHelp'), maxLength: 190, half: true },
      { kind: 'string', key: 'label', label: t('sso.label'), help: t('sso.labelHelp'), maxLength: 64, half: true },
      { kind: 'string', key: 'scopes', label: t('sso.scopes'), maxLength: 200, mono: true },
      { kind: 'bool', key: 'createMembers', label: t('sso.createMembers'), help: t('sso.createMembersHelp') },
      {
        kind: 'enum',
        key: 'roleId',
        label: t('sso.role'),
        required: true,
        visible: values => values.createMembers === true,
        options: roles.map(role => ({ value: role.id, label: (english && role.ename) || role.name })),
      },
    ],
    [t, data.hasSecret, roles, english],
  )
  const form = useSchemaForm(fields, { ...data })
  const guard = useUnsavedGuard(form.dirty)
  const { busy, failure, submit } = useFormSubmit(form, async values => {
    const { clientSecret, roleId, ...rest } = values
    const saved = await setOidc.send({
      body: {
        enabled: rest.enabled === true,
        issuer: String(rest.issuer),
        clientId: String(rest.clientId),
        scopes: String(rest.scopes ?? ''),
        domain: String(rest.domain ?? ''),
        label: String(rest.label ?? ''),
        createMembers: rest.createMembers === true,
        ...(clientSecret ? { clientSecret: String(clientSecret) } : {}),
        ...(roleId ? { roleId: String(roleId) } : {}),
        version: data.version,
      } satisfies Body<'security.setOidc'>,
    })
    form.reset({ ...saved })
    notify.success(t('saved'))
  })
  return (
    <Panel title={t('sso.provider')} hint={t('sso.providerHint')}>
      <form
        className={css.form}
        noValidate
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        <Facts items={[{ label: t('sso.callback'), value: <CopyId value={data.callbackUrl} />, wide: true }]} />
        <br />
        {failure && <FormAlert error={failure.error} rest={failure.rest} />}
        <SchemaForm form={form} disabled={busy} />
        <div className={css.foot}>
          <Button type="primary" htmlType="submit" loading={busy} disabled={!form.dirty}>
            {t('save')}
          </Button>
        </div>
      </form>
      {guard.dialog}
    </Panel>
  )
}
