import type { PageView } from '@thingwright/contracts/cloud-pages.contract'
import { Alert, Button, Drawer, Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { InputNumber } from '../../../ui/input-number.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import { StatusTag } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import css from '../cloud-pages.module.css'

const KIND = { valid: 'success', expired: 'disabled', revoked: 'disabled' } as const

/** Signed links of a page: made, shown once, revoked. */
export function LinksDrawer({ page, onClose }: { page: PageView; onClose: () => void }) {
  const { t } = useTranslation('cloud-pages')
  const links = useRead('cloudPages.links', { params: { id: page.id } })
  const [name, setName] = useState('')
  const [days, setDays] = useState(30)
  const create = useAct('cloudPages.createLink')
  const revoke = useAct('cloudPages.revokeLink')
  const make = async () => {
    if (await create.run({ params: { id: page.id }, body: { name: name.trim(), days } })) setName('')
  }
  const made = create.reply
  return (
    <Drawer open size={560} title={t('linksTitle', { name: page.name })} onClose={onClose}>
      <p className={css.note}>{t('linksText')}</p>
      <form
        onSubmit={event => {
          event.preventDefault()
          void make()
        }}
        style={{ display: 'flex', gap: 8 }}
      >
        <Input
          aria-label={t('linkFor')}
          placeholder={t('linkFor')}
          maxLength={64}
          value={name}
          onChange={event => setName(event.target.value)}
        />
        <InputNumber
          aria-label={t('days')}
          min={1}
          max={366}
          precision={0}
          value={days}
          suffix={t('days')}
          onChange={value => setDays(value ?? 30)}
          style={{ width: 120 }}
        />
        <Button type="primary" htmlType="submit" disabled={name.trim() === ''} loading={create.pending}>
          {t('makeLink')}
        </Button>
      </form>
      {made && (
        <Alert
          style={{ marginTop: 16 }}
          type="success"
          title={t('linkMade')}
          description={<CopyId value={`${window.location.origin}/${made.path}`} />}
        />
      )}
      {links.isError && <ErrorState error={links.error} onRetry={() => void links.refetch()} />}
      {links.data?.items.length === 0 && <p className={css.note}>{t('noLinks')}</p>}
      <ul className={css.links}>
        {links.data?.items.map(link => (
          <li key={link.id}>
            <span className={css.grow}>
              {link.name}
              <br />
              <span className={css.note}>
                {t('until')} <TimeText value={link.expiresAt} />
              </span>
            </span>
            <StatusTag kind={KIND[link.state]}>{t(`linkStates.${link.state}`)}</StatusTag>
            {link.state === 'valid' && (
              <Button
                danger
                type="text"
                onClick={() => void revoke.run({ params: { id: page.id, linkId: link.id } })}
                aria-label={t('revokeOf', { name: link.name })}
              >
                {t('revoke')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Drawer>
  )
}
