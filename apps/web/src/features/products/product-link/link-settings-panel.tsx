import type { ProductDetail } from '@thingwright/contracts/products.contract'
import { Button, Switch } from 'antd'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import products from '../products.module.css'
import { FramingFields } from './framing-fields.tsx'
import { BytesInput, LinkField, LinkSection } from './link-fields.tsx'
import { PollingFields } from './polling-fields.tsx'
import { PortFields } from './port-fields.tsx'
import css from './product-link.module.css'
import { RegisterFields } from './register-fields.tsx'
import type { LinkDraft, LinkView } from './use-link-draft.ts'

/** How devices of a TCP, UDP or Modbus product connect, saved as one. */
export function LinkSettingsPanel({
  product,
  view,
  draft,
}: {
  product: ProductDetail
  view: LinkView
  draft: LinkDraft
}) {
  const { t } = useTranslation('product-link')
  const disabled = !useMay('links.set')
  const guard = useUnsavedGuard(draft.dirty)
  const modbus = product.linkType.startsWith('modbus')
  const save = async () => {
    if (await draft.save()) notify.success(t('saved'))
  }
  const reset = async () => {
    if (await draft.reset()) notify.success(t('resetDone'))
  }
  return (
    <Panel
      title={t('title')}
      hint={view.isDefault ? t('hintDefault') : t('hint')}
      actions={
        !disabled &&
        !view.isDefault && (
          <Button loading={draft.busy} onClick={() => guard.ask(() => void reset())}>
            {t('reset')}
          </Button>
        )
      }
    >
      <RegisterFields draft={draft} productKey={product.productKey} disabled={disabled} />
      {modbus ? (
        <PollingFields
          draft={draft}
          productId={product.id}
          hasTable={product.format.kind === 'modbus'}
          disabled={disabled}
        />
      ) : (
        <FramingFields draft={draft} disabled={disabled} />
      )}
      <HeartbeatFields draft={draft} disabled={disabled} />
      <PortFields view={view} draft={draft} disabled={disabled} udp={product.linkType === 'udp'} />
      {draft.failure !== null && <FormAlert error={draft.failure} />}
      {draft.dirty && !disabled && (
        <div className={products.saveBar} style={{ margin: '16px -16px -16px' }}>
          <span>{t('unsaved')}</span>
          <Button onClick={draft.discard}>{t('discard')}</Button>
          <Button type="primary" loading={draft.busy} onClick={() => void save()}>
            {t('save')}
          </Button>
        </div>
      )}
      {guard.dialog}
    </Panel>
  )
}

function HeartbeatFields({ draft, disabled }: { draft: LinkDraft; disabled: boolean }) {
  const { t } = useTranslation('product-link')
  const { heartbeat } = draft.settings
  const empty = { encoding: 'text', value: '' } as const
  return (
    <LinkSection title={t('heartbeat.title')} hint={t('heartbeat.hint')}>
      <Switch
        aria-label={t('heartbeat.title')}
        checked={heartbeat !== null}
        disabled={disabled}
        onChange={on => draft.change({ heartbeat: on ? { packet: { encoding: 'text', value: 'PING' } } : null })}
      />
      {heartbeat === null ? (
        <p className={css.explain}>{t('heartbeat.off')}</p>
      ) : (
        <div className={css.grid}>
          <LinkField
            label={t('heartbeat.packet')}
            help={t('heartbeat.packetHelp')}
            problem={draft.problems['heartbeat.packet.value']}
          >
            <BytesInput
              label={t('heartbeat.packet')}
              value={heartbeat.packet}
              disabled={disabled}
              wrong={draft.problems['heartbeat.packet.value'] !== undefined}
              onChange={packet => draft.change({ heartbeat: { ...heartbeat, packet } })}
            />
          </LinkField>
          <LinkField
            label={t('heartbeat.reply')}
            help={t('heartbeat.replyHelp')}
            problem={draft.problems['heartbeat.reply.value']}
          >
            <BytesInput
              label={t('heartbeat.reply')}
              value={heartbeat.reply ?? empty}
              placeholder={t('heartbeat.noReply')}
              disabled={disabled}
              wrong={draft.problems['heartbeat.reply.value'] !== undefined}
              onChange={reply =>
                draft.change({
                  heartbeat:
                    reply.value === '' && reply.encoding === 'text'
                      ? { packet: heartbeat.packet }
                      : { ...heartbeat, reply },
                })
              }
            />
          </LinkField>
        </div>
      )}
    </LinkSection>
  )
}
