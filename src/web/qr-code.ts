import { renderSVG } from 'uqr'

/** A text as a QR code, for the camera of a phone: dark on light, whatever the page looks like. */
export const qrCode = (text: string): string =>
  renderSVG(text, { ecc: 'M', border: 4 }).replace(
    '<svg ',
    '<svg class="qr" role="img" aria-label="QR code" ',
  )
