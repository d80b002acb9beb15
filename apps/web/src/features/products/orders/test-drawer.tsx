import type { CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import type { CommandView } from '@thingwright/contracts/commands.contract'
import { Button, Drawer } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { kindOfItem } from '../../../ui/command-kit/batch-words.ts'
import { HexBytes } from '../../../ui/command-kit/hex-bytes.tsx'
import { sendGuarded } from '../../../ui/command-kit/send-guarded.ts'
import { templateDefaults, templateFields } from '../../../ui/command-kit/template-params.ts'
import { LazySelect } from '../../../ui/lazy-select/lazy-select.tsx'
import { FormAlert, useFormSubmit } from '../../../ui/schema-form/form-drawer.tsx'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { EmptyState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import css from './orders.module.css'

/** Sends a named command to one device of the product and shows what comes of it. */
export function TestDrawer({ template, onClose }: { template: CommandTemplateView; onClose: () => void }) {
  const { t } = useTranslation('orders')
  const { t: k } = useTranslation('command-kit')
  const devices = useRead('devices.list', { query: { productId: template.productId, limit: 100, sort: '-lastSeenAt' } })
  const [chosen, setChosen] = useState<string | null>(null)
  const deviceId = chosen ?? devices.data?.items[0]?.id ?? null
  const fields = useMemo(() => templateFields(template.body, locale() === 'en'), [template])
  const form = useSchemaForm(fields, templateDefaults(template.body), { serverPrefix: 'params' })
  const [sent, setSent] = useState<CommandView | null>(null)
  const { busy, failure, submit } = useFormSubmit(form, async params => {
    setSent(
      await sendGuarded(answers =>
        call('commands.create', {
          params: { id: deviceId! },
          body: { kind: 'template', templateId: template.id, params, ...answers },
        }),
      ),
    )
  })
  const followed = useRead(
    'commands.get',
    { params: { id: sent?.deviceId ?? '', commandId: sent?.id ?? '' } },
    { enabled: sent !== null, refetchInterval: query => (query.state.data?.finishedAt ? false : 700) },
  )
  const command = followed.data ?? sent
  const none = devices.isSuccess && devices.data.items.length === 0
  return (
    <Drawer
      open
      size={560}
      title={t('testTitle', { name: template.name })}
      onClose={onClose}
      footer={
        <div className={css.foot}>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" loading={busy} disabled={deviceId === null} onClick={() => void submit()}>
            {t('sendTest')}
          </Button>
        </div>
      }
    >
      {none ? (
        <EmptyState title={t('noDevices')} description={t('noDevicesText')} />
      ) : (
        <form
          className={css.form}
          onSubmit={event => {
            event.preventDefault()
            void submit()
          }}
        >
          {failure && <FormAlert error={failure.error} rest={failure.rest} />}
          <LazySelect
            aria-label={t('device')}
            value={deviceId}
            loading={devices.isPending}
            showSearch={{ optionFilterProp: 'label' }}
            options={(devices.data?.items ?? []).map(device => ({
              value: device.id,
              label: `${device.name} · ${device.deviceNo} · ${t(`links.${device.link}`)}`,
            }))}
            onChange={setChosen}
          />
          <SchemaForm form={form} disabled={busy} />
        </form>
      )}
      {command && (
        <section className={css.preview} data-testid="test-result">
          <h3>{t('testResult')}</h3>
          <StatusTag kind={kindOfItem(command.state)}>{k(`itemState.${command.state}`)}</StatusTag>
          {(command.errorMessage ?? command.errorCode) && (
            <p className={css.hint}>{command.errorMessage ?? command.errorCode}</p>
          )}
          {command.frames && <HexBytes frames={command.frames} />}
          {command.reply !== null && <code dir="ltr">{JSON.stringify(command.reply)}</code>}
        </section>
      )}
    </Drawer>
  )
}
