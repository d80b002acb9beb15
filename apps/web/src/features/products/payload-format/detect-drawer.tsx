import { Button, Drawer, Input, Segmented } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import css from './format.module.css'
import { asHex, bytesOf, type FormatBody } from './format-draft.ts'
import { FrameBytes } from './frame-bytes.tsx'

/** Proposes a format for a frame that somebody has at hand. */
export function DetectDrawer({
  productId,
  onUse,
  onClose,
}: {
  productId: string
  onUse: (format: FormatBody, sample: { payload: string; encoding: 'text' | 'hex' }) => void
  onClose: () => void
}) {
  const { t } = useTranslation('payload-format')
  const [payload, setPayload] = useState('')
  const [encoding, setEncoding] = useState<'text' | 'hex'>('text')
  const bytes = bytesOf(payload, encoding)
  const detect = useAct('formats.detectFormat', { own: false })
  return (
    <Drawer open size={720} title={t('detect.title')} onClose={onClose}>
      <p className={css.lead}>{t('detect.text')}</p>
      <div className={css.bar}>
        <Segmented
          value={encoding}
          options={[
            { value: 'text', label: t('text') },
            { value: 'hex', label: 'HEX' },
          ]}
          onChange={next => setEncoding(next as 'text' | 'hex')}
        />
        <span className={css.grow} />
        <Button
          type="primary"
          disabled={payload.trim() === '' || bytes === null}
          loading={detect.pending}
          onClick={() =>
            // Its refusal stands below.
            void detect
              .send({
                params: { id: productId },
                body: { payload: encoding === 'hex' ? (asHex(payload) ?? '') : payload, encoding },
              })
              .catch(() => {})
          }
        >
          {t('detect.run')}
        </Button>
      </div>
      <Input.TextArea
        className={css.mono ?? ''}
        aria-label={t('sampleFrame')}
        rows={5}
        autoFocus
        value={payload}
        spellCheck={false}
        placeholder={encoding === 'text' ? '{"d":{"temp":21.5}}  /  #21.5,48#' : '01 03 04 00 D7 01 E0 6B 9A'}
        {...(payload !== '' && bytes === null ? { status: 'error' as const } : {})}
        onChange={event => {
          setPayload(event.target.value)
          // What can only be hex is taken as hex.
          if (encoding === 'text' && /^([0-9a-f]{2}[\s,]+){3,}[0-9a-f]{2}\s*$/i.test(event.target.value))
            setEncoding('hex')
        }}
      />
      {detect.error !== null && <FormAlert error={detect.error} />}
      {detect.reply?.proposals.length === 0 && (
        <EmptyState title={t('detect.none')} description={t('detect.noneText')} />
      )}
      <div className={css.proposals}>
        {detect.reply?.proposals.map((proposal, at) => (
          <section key={`${proposal.looksLike}/${at}`} className={css.proposal}>
            <div className={css.proposalHead}>
              <b>{t(`detect.looksLike.${proposal.looksLike}`, { defaultValue: proposal.looksLike })}</b>
              <span className={css.quiet}>
                {t('detect.confidence', { percent: Math.round(proposal.confidence * 100) })}
              </span>
              <Button onClick={() => onUse(proposal.format as FormatBody, { payload, encoding })}>
                {t('detect.use')}
              </Button>
            </div>
            {bytes && <FrameBytes bytes={bytes} fields={proposal.fields} />}
          </section>
        ))}
      </div>
    </Drawer>
  )
}
