import type { CaView } from '@thingwright/contracts/device-identity.contract'
import { Alert, Button } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDate } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ConfirmTyped } from '../../../ui/confirm-typed.tsx'
import { CopyId } from '../../../ui/copy-id.tsx'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn, RowAction } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { ChainTest } from './chain-test.tsx'

const KIND = { active: 'success', unproven: 'warning', disabled: 'disabled' } as const
type Open = { kind: 'add' | 'generate' | 'test' } | { kind: 'prove' | 'remove' | 'revoke'; ca: CaView } | null

/** Certificate authorities of the company, for devices that sign in with X.509 on the TLS port. */
export function CaPanel() {
  const { t } = useTranslation('product-identity')
  const mayWrite = useMay('deviceCas.setState')
  const cas = useRead('deviceCas.list')
  const [open, setOpen] = useState<Open>(null)
  const told = (said: 'saved' | 'proven' | 'revokedDone' | 'removed') => ({
    done: () => {
      notify.success(t(said))
      setOpen(null)
    },
  })
  const add = useAct('deviceCas.add', { done: ca => setOpen({ kind: 'prove', ca }) })
  const generate = useAct('deviceCas.generate', told('saved'))
  const prove = useAct('deviceCas.prove', told('proven'))
  const state = useAct('deviceCas.setState', told('saved'))
  const revoke = useAct('deviceCas.revoke', told('revokedDone'))
  const remove = useAct('deviceCas.remove', told('removed'))
  const setState = (ca: CaView, next: 'active' | 'disabled') =>
    state.run({ params: { id: ca.id }, body: { state: next } })
  const columns = useMemo<ListColumn<CaView>[]>(
    () => [
      {
        key: 'name',
        title: t('caName'),
        minWidth: 200,
        render: ca => (
          <>
            {ca.name}
            <br />
            <small title={ca.fingerprint}>{ca.subject.replaceAll('\n', ', ')}</small>
          </>
        ),
      },
      {
        key: 'state',
        title: t('state'),
        width: 96,
        render: ca => <StatusTag kind={KIND[ca.state]}>{t(`caStates.${ca.state}`)}</StatusTag>,
      },
      { key: 'key', title: t('key'), width: 104, render: ca => t(ca.keyKept ? 'keyHere' : 'keyThere') },
      {
        key: 'until',
        title: t('validUntil'),
        width: 144,
        render: ca =>
          ca.expires === 'no' ? (
            formatDate(ca.notAfter)
          ) : (
            <StatusTag kind={ca.expires === 'soon' ? 'warning' : 'error'}>
              {t(`expiry.${ca.expires}`, { date: formatDate(ca.notAfter) })}
            </StatusTag>
          ),
      },
      { key: 'devices', title: t('certificates'), width: 88, rank: 1, align: 'right', render: ca => ca.devices },
    ],
    [t],
  )
  const actions = (ca: CaView): RowAction[] => [
    ...(ca.state === 'unproven'
      ? [{ key: 'prove', label: t('prove'), onClick: () => setOpen({ kind: 'prove', ca }) }]
      : []),
    ...(ca.state === 'active'
      ? [{ key: 'disable', label: t('disable'), danger: true, onClick: () => void setState(ca, 'disabled') }]
      : []),
    ...(ca.state === 'disabled'
      ? [{ key: 'enable', label: t('enable'), onClick: () => void setState(ca, 'active') }]
      : []),
    { key: 'revoke', label: t('revokeShort'), danger: true, onClick: () => setOpen({ kind: 'revoke', ca }) },
    {
      key: 'remove',
      label: t('remove'),
      danger: true,
      disabled: ca.devices > 0,
      title: ca.devices > 0 ? t('inUse', { count: ca.devices }) : '',
      onClick: () => setOpen({ kind: 'remove', ca }),
    },
  ]
  const items = cas.data?.items ?? []
  return (
    <Panel
      title={t('cas')}
      hint={t('casHint')}
      flush={items.length > 0}
      actions={
        <>
          <Button onClick={() => setOpen({ kind: 'test' })}>{t('testChain')}</Button>
          {mayWrite && <Button onClick={() => setOpen({ kind: 'add' })}>{t('addCa')}</Button>}
          {mayWrite && <Button onClick={() => setOpen({ kind: 'generate' })}>{t('generateCa')}</Button>}
        </>
      }
    >
      {cas.isError && !cas.data ? (
        <ErrorState error={cas.error} onRetry={() => void cas.refetch()} />
      ) : cas.data && items.length === 0 ? (
        <EmptyState title={t('noCas')} description={t('noCasText')} />
      ) : (
        <div style={{ overflowX: 'auto' }}>
          <DataTable
            label={t('cas')}
            columns={columns}
            rows={items}
            rowKey={ca => ca.id}
            skeleton={cas.isPending ? 2 : 0}
            {...(mayWrite ? { actions, actionsWidth: locale() === 'en' ? 208 : 160 } : {})}
          />
        </div>
      )}
      {open?.kind === 'add' && (
        <FormDrawer
          title={t('addCa')}
          width={720}
          intro={<p>{t('addCaText')}</p>}
          fields={[
            { kind: 'string', key: 'name', label: t('caName'), required: true, maxLength: 64 },
            pemField(t('caCertificate')),
          ]}
          initial={{}}
          submitText={t('addCa')}
          onClose={() => setOpen(null)}
          onSubmit={values => add.send({ body: values as { name: string; certificate: string } })}
        />
      )}
      {open?.kind === 'generate' && (
        <FormDrawer
          title={t('generateCa')}
          intro={<p>{t('generateText')}</p>}
          fields={[
            { kind: 'string', key: 'name', label: t('caName'), required: true, maxLength: 64 },
            { kind: 'number', integer: true, key: 'years', label: t('years'), required: true, min: 1, max: 30 },
          ]}
          initial={{ years: 10 }}
          submitText={t('generateCa')}
          onClose={() => setOpen(null)}
          onSubmit={values => generate.send({ body: values as { name: string; years: number } })}
        />
      )}
      {open?.kind === 'prove' && (
        <FormDrawer
          title={t('proveTitle')}
          width={720}
          intro={
            <>
              <p>{t('proveText')}</p>
              <p>
                <CopyId value={open.ca.proofCode ?? ''} />
              </p>
              <Alert
                type="info"
                title={t('proveHow')}
                description={<pre>{proofCommands(open.ca.proofCode ?? '')}</pre>}
              />
              <br />
            </>
          }
          fields={[pemField(t('proofCertificate'))]}
          initial={{}}
          submitText={t('prove')}
          onClose={() => setOpen(null)}
          onSubmit={values => prove.send({ params: { id: open.ca.id }, body: values as { certificate: string } })}
        />
      )}
      {open?.kind === 'revoke' && (
        <FormDrawer
          title={t('revoke')}
          intro={<p>{t('revokeText')}</p>}
          fields={[
            {
              kind: 'string',
              key: 'serial',
              label: t('serial'),
              required: true,
              mono: true,
              maxLength: 96,
              pattern: /^[0-9A-Fa-f]+(:[0-9A-Fa-f]+)*$/,
              patternText: t('serialPattern'),
            },
          ]}
          initial={{}}
          submitText={t('revoke')}
          onClose={() => setOpen(null)}
          onSubmit={values => revoke.send({ params: { id: open.ca.id }, body: values as { serial: string } })}
        />
      )}
      {open?.kind === 'remove' && (
        <ConfirmTyped
          open
          title={t('removeCa')}
          expected={open.ca.name}
          confirmText={t('remove')}
          onConfirm={() => remove.send({ params: { id: open.ca.id } })}
          onCancel={() => setOpen(null)}
        >
          <p>{t('removeCaText')}</p>
        </ConfirmTyped>
      )}
      {open?.kind === 'test' && <ChainTest onClose={() => setOpen(null)} />}
    </Panel>
  )
}

const pemField = (label: string) => ({
  kind: 'string' as const,
  key: 'certificate',
  label,
  required: true,
  rows: 8,
  mono: true,
  minLength: 64,
  maxLength: 16_384,
  placeholder: '-----BEGIN CERTIFICATE-----',
})

/** How the proof is made with OpenSSL. */
const proofCommands = (code: string) =>
  `openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \\
  -keyout proof.key -subj "/CN=${code}" -out proof.csr
openssl x509 -req -in proof.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -out proof.pem`
