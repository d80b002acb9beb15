import type { TelecomProductView } from '@thingwright/contracts/telecom.contract'
import { Alert, Button, Modal, Skeleton, Tag } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Body } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts, Panel } from '../../../ui/panel.tsx'
import { PermissionGate } from '../../../ui/permission-gate.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { type StatusKind, StatusTag } from '../../../ui/status-tag.tsx'

const KIND: Record<TelecomProductView['keyState'], StatusKind> = {
  untested: 'never',
  ok: 'success',
  failed: 'error',
  disabled: 'disabled',
}
const REFRESH_MS = 10_000

/** Which product of which platform an NB-IoT product is, and how its devices stand there. */
export function NbiotLink({ productId }: { productId: string }) {
  const { t } = useTranslation('nbiot-link')
  const query = useRead('telecom.product', { params: { id: productId } }, { refetchInterval: REFRESH_MS })
  const [open, setOpen] = useState<'form' | 'clear' | null>(null)
  const link = query.data?.link
  const buttons = (
    <PermissionGate of="telecom.setProduct">
      <Button type={link ? 'default' : 'primary'} onClick={() => setOpen('form')}>
        {t(link ? 'edit' : 'choose')}
      </Button>
    </PermissionGate>
  )
  return (
    <Panel
      title={t('title')}
      hint={t('hint')}
      actions={
        link && (
          <>
            {buttons}
            <PermissionGate of="telecom.clearProduct">
              <Button danger onClick={() => setOpen('clear')}>
                {t('clear')}
              </Button>
            </PermissionGate>
          </>
        )
      }
    >
      {query.isError && !query.data ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : query.isPending ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : !link ? (
        <EmptyState title={t('none')} description={t('noneText')} action={buttons} />
      ) : (
        <>
          {link.devices.failed > 0 && (
            <Alert
              type="warning"
              showIcon
              title={t('someFailed', { count: link.devices.failed, many: formatNumber(link.devices.failed) })}
            />
          )}
          <Facts
            items={[
              {
                label: t('key'),
                value: (
                  <span dir="auto">
                    <Link to={`/manage/tel?key=${link.keyId}`}>{link.keyName}</Link>{' '}
                    {link.simulated && <Tag>{t('simulated')}</Tag>}
                  </span>
                ),
              },
              { label: t('platform'), value: t(`platforms.${link.platform}`) },
              {
                label: t('state'),
                value: <StatusTag kind={KIND[link.keyState]}>{t(`states.${link.keyState}`)}</StatusTag>,
              },
              {
                label: t(`productId.${link.platform}`),
                value: <CopyId value={link.platformProduct} />,
              },
              ...(link.platform === 'ctwing'
                ? [{ label: t('masterKey'), value: <code>{link.masterKeyHint ?? '–'}</code> }]
                : []),
              {
                label: t('devices'),
                value: t('devicesText', {
                  mirrored: formatNumber(link.devices.mirrored),
                  waiting: formatNumber(link.devices.waiting),
                  failed: formatNumber(link.devices.failed),
                }),
              },
            ]}
          />
        </>
      )}
      {open === 'form' && <LinkForm productId={productId} link={link ?? null} onClose={() => setOpen(null)} />}
      {open === 'clear' && <ClearDialog productId={productId} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

function LinkForm({
  productId,
  link,
  onClose,
}: {
  productId: string
  link: TelecomProductView | null
  onClose: () => void
}) {
  const { t } = useTranslation('nbiot-link')
  const mayRead = useMay('telecom.list')
  const keys = useRead('telecom.list', { query: { limit: 100, sort: 'name' } }, { enabled: mayRead })
  const set = useAct('telecom.setProduct', { touches: ['telecom'] })
  const items = keys.data?.items
  const fields = useMemo<Field[]>(() => {
    const isCtwing = (values: Record<string, unknown>) =>
      items?.find(({ id }) => id === values.keyId)?.platform !== 'onenet'
    return [
      {
        key: 'keyId',
        kind: 'enum',
        label: t('key'),
        required: true,
        options: (items ?? []).map(({ id, name, platform }) => ({
          value: id,
          label: `${name} · ${t(`platforms.${platform}`)}`,
        })),
        help: t('keyHelp'),
      },
      {
        key: 'platformProduct',
        kind: 'string',
        label: t('productIdField'),
        required: true,
        maxLength: 64,
        mono: true,
        pattern: /^[A-Za-z0-9_-]+$/,
        patternText: t('productIdRule'),
        help: t('productIdHelp'),
      },
      {
        key: 'masterKey',
        kind: 'string',
        label: t('masterKey'),
        secret: true,
        keepSpaces: true,
        maxLength: 200,
        required: link?.masterKeyHint === null || link === null,
        ...(link?.masterKeyHint ? { placeholder: t('unchanged') } : {}),
        help: t('masterKeyHelp'),
        visible: isCtwing,
      },
    ]
  }, [t, items, link])
  const initial = useMemo(() => ({ keyId: link?.keyId, platformProduct: link?.platformProduct }), [link])
  return (
    <FormDrawer
      title={t('title')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      note={t('saveNote')}
      onSubmit={async ({ masterKey, ...values }, newer) => {
        await set.send({
          params: { id: productId },
          body: {
            ...values,
            ...(masterKey ? { masterKey } : {}),
            ...(link ? { version: newer ?? link.version } : {}),
          } as Body<'telecom.setProduct'>,
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}

function ClearDialog({ productId, onClose }: { productId: string; onClose: () => void }) {
  const { t } = useTranslation('nbiot-link')
  const clear = useAct('telecom.clearProduct', {
    touches: ['telecom'],
    done: () => {
      notify.success(t('cleared'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('clearTitle')}
      okText={t('clear')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: clear.pending }}
      onOk={() => void clear.run({ params: { id: productId } })}
      onCancel={onClose}
    >
      <p>{t('clearText')}</p>
    </Modal>
  )
}
