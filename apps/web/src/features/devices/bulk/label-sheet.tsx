import { PrinterOutlined } from '@ant-design/icons'
import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Button, Checkbox, Segmented } from 'antd'
import { useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { QrCode } from '../../../ui/qr-code.tsx'
import { deviceAddress } from '../addresses.ts'
import css from './bulk.module.css'

/** Sizes of labels on A4 (194 x 280 mm within the margins): columns, rows, and the code in pixels of 96 to an inch. */
const SIZES = {
  small: { columns: 4, rows: 10, code: 68 },
  medium: { columns: 3, rows: 7, code: 98 },
  large: { columns: 2, rows: 4, code: 180 },
} as const
type Size = keyof typeof SIZES

/** Labels of devices as sheets of A4, printed (or saved as PDF) by the browser. A code leads to the device's page. */
export function LabelSheet({ devices, onClose }: { devices: readonly DeviceView[]; onClose: () => void }) {
  const { t } = useTranslation('bulk')
  const [size, setSize] = useState<Size>('medium')
  const [product, setProduct] = useState(true)
  const { columns, rows, code } = SIZES[size]
  const each = columns * rows
  const pages = Array.from({ length: Math.ceil(devices.length / each) }, (_, n) =>
    devices.slice(n * each, (n + 1) * each),
  )
  useEffect(() => {
    // Nothing but the sheets goes onto paper.
    const style = document.createElement('style')
    style.textContent = '@page{size:A4;margin:0}@media print{body>*:not([data-print]){display:none!important}}'
    document.head.append(style)
    const close = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onClose()
    }
    window.addEventListener('keydown', close)
    return () => {
      style.remove()
      window.removeEventListener('keydown', close)
    }
  }, [onClose])
  return createPortal(
    <div className={css.sheet} data-print role="dialog" aria-modal="true" aria-label={t('labels')}>
      <div className={css.sheetBar}>
        <h2>{t('labels')}</h2>
        <Segmented
          value={size}
          options={(Object.keys(SIZES) as Size[]).map(value => ({
            value,
            label: t(`labelSize.${value}`, { columns: SIZES[value].columns, rows: SIZES[value].rows }),
          }))}
          onChange={setSize}
        />
        <Checkbox checked={product} onChange={event => setProduct(event.target.checked)}>
          {t('labelProduct')}
        </Checkbox>
        <span className={css.hint}>
          {t('labelFacts', { devices: formatNumber(devices.length), pages: formatNumber(pages.length) })}
        </span>
        <span>
          <Button onClick={onClose}>{t('close')}</Button>
          <Button type="primary" icon={<PrinterOutlined aria-hidden />} onClick={() => window.print()}>
            {t('print')}
          </Button>
        </span>
      </div>
      <div className={css.paper}>
        {pages.map((page, at) => (
          <div key={at} className={css.page}>
            <div
              className={css.grid}
              style={{
                gridTemplateColumns: `repeat(${columns}, 1fr)`,
                gridAutoRows: `${Math.floor(2800 / rows) / 10}mm`,
              }}
            >
              {page.map(device => (
                <div key={device.id} className={css.tile}>
                  <QrCode
                    value={`${window.location.origin}${deviceAddress(device.id)}`}
                    label={t('codeOf', { name: device.name })}
                    size={code}
                  />
                  <div>
                    <b dir="auto">{device.name}</b>
                    <span>{device.deviceNo}</span>
                    {product && <small dir="auto">{device.productName}</small>}
                  </div>
                </div>
              ))}
            </div>
          </div>
        ))}
      </div>
    </div>,
    document.body,
  )
}
