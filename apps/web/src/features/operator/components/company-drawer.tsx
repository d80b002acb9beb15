import type { CompanyDetail } from '@thingwright/contracts/operator.contract'
import { Button, Drawer, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { enterCompany } from '../../../lib/support-session.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { Facts } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { CompanyState, Verified } from '../company-state.tsx'
import { useCompanyChanged, useCompanyDetail } from '../hooks.ts'
import css from '../operator.module.css'
import { FreezeDialog } from './freeze-dialog.tsx'
import { QuotasDrawer } from './quotas-drawer.tsx'
import { TermDrawer } from './term-drawer.tsx'
import { WalletDrawer } from './wallet-drawer.tsx'

type Open = 'term' | 'freeze' | 'quotas' | 'wallet' | null

/** One company: what it is, uses and has, and what an operator may do with it. */
export function CompanyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const detail = useCompanyDetail(id)
  return (
    <Drawer open size={720} title={detail.data?.company.name ?? t('company')} onClose={onClose}>
      {detail.isError ? (
        <ErrorState error={detail.error} onRetry={() => void detail.refetch()} />
      ) : detail.data ? (
        <Body detail={detail.data} />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Drawer>
  )
}

function Body({ detail }: { detail: CompanyDetail }) {
  const { t } = useTranslation('operator')
  const { company, usage, owners, support } = detail
  const mayWrite = useMay('operator.unfreeze')
  const changed = useCompanyChanged()
  const unfreeze = useAct('operator.unfreeze', {
    done: reply => {
      changed(reply)
      notify.success(t('unfrozen'))
    },
  })
  const enter = useAct('operator.enter', { own: false, done: enterCompany })
  const [open, setOpen] = useState<Open>(null)
  const params = { id: company.id }
  return (
    <>
      <Facts
        items={[
          { label: t('state'), value: <CompanyState status={company.status} /> },
          { label: t('verification'), value: <Verified value={company.verification} /> },
          { label: t('appId'), value: <CopyId value={company.appId} /> },
          {
            label: t('expiresAt'),
            value: company.expiresAt ? <TimeText value={company.expiresAt} mode="absolute" /> : t('noEnd'),
          },
          ...(company.graceEndsAt
            ? [{ label: t('graceEndsAt'), value: <TimeText value={company.graceEndsAt} mode="absolute" /> }]
            : []),
          ...(company.frozenReason ? [{ label: t('frozenReason'), value: company.frozenReason, wide: true }] : []),
          {
            label: t('contact'),
            value: [company.contactName, company.contactPhone].filter(Boolean).join(' · ') || '–',
          },
          { label: t('industry'), value: [company.industry, company.region].filter(Boolean).join(' · ') || '–' },
          { label: t('createdAt'), value: <TimeText value={company.createdAt} mode="absolute" /> },
        ]}
      />
      {mayWrite && (
        <section className={css.section}>
          <div className={css.actions}>
            {company.status !== 'frozen' && (
              <Button type="primary" onClick={() => setOpen('term')}>
                {t(company.status === 'inactive' ? 'activate' : 'extend')}
              </Button>
            )}
            <Button onClick={() => setOpen('quotas')}>{t('setQuotas')}</Button>
            {company.kind === 'company' && <Button onClick={() => setOpen('wallet')}>{t('wallet.act')}</Button>}
            {company.status === 'frozen' ? (
              <Button onClick={() => void unfreeze.run({ params })}>{t('unfreeze')}</Button>
            ) : (
              <Button danger onClick={() => setOpen('freeze')}>
                {t('freeze')}
              </Button>
            )}
            <Button
              disabled={!support}
              title={support ? undefined : t('noConsent')}
              onClick={() => void enter.run({ params })}
            >
              {t('enter')}
            </Button>
          </div>
          <p className={css.muted} style={{ marginTop: 8 }}>
            {support ? (
              <>
                {t(support.mayWrite ? 'consentWriting' : 'consentReading')}{' '}
                <TimeText value={support.expiresAt} mode="absolute" />
              </>
            ) : (
              t('noConsent')
            )}
          </p>
        </section>
      )}
      <section className={css.section}>
        <h3>{t('usage')}</h3>
        <div className={css.bars}>
          {usage.map(item => {
            const show = (value: number) => (item.kind === 'mediaBytes' ? formatBytes(value) : formatNumber(value))
            const share = item.limit === null ? 0 : item.limit === 0 ? 1 : Math.min(1, item.used / item.limit)
            return (
              <div key={item.kind} data-testid={`usage-${item.kind}`}>
                <div className={css.barHead}>
                  <span>{t(`quota.${item.kind}`)}</span>
                  <span className={css.number}>
                    {show(item.used)} / {item.limit === null ? t('noLimit') : show(item.limit)}
                  </span>
                </div>
                {item.limit !== null && (
                  <div
                    className={css.bar}
                    data-level={item.level}
                    role="progressbar"
                    aria-label={t(`quota.${item.kind}`)}
                    aria-valuemin={0}
                    aria-valuemax={100}
                    aria-valuenow={Math.round(share * 100)}
                  >
                    <span style={{ width: `${share * 100}%` }} />
                  </div>
                )}
              </div>
            )
          })}
        </div>
      </section>
      <section className={css.section}>
        <h3>{t('owners')}</h3>
        {owners.map(owner => (
          <div key={owner.id} className={css.owner}>
            <b>{owner.displayName || owner.username}</b>
            <span>{owner.username}</span>
            {owner.phone && <span>{owner.phone}</span>}
            <span className={css.muted}>
              {t('lastActivity')}: <TimeText value={owner.lastLoginAt} fallback={t('never')} />
            </span>
          </div>
        ))}
      </section>
      {open === 'term' && <TermDrawer company={company} onClose={() => setOpen(null)} />}
      {open === 'wallet' && <WalletDrawer id={company.id} onClose={() => setOpen(null)} />}
      {open === 'freeze' && <FreezeDialog id={company.id} name={company.name} onClose={() => setOpen(null)} />}
      {open === 'quotas' && <QuotasDrawer id={company.id} quotas={detail.quotas} onClose={() => setOpen(null)} />}
    </>
  )
}
