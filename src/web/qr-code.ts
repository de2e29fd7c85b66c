import { renderSVG } from 'uqr'

/** Returns a text as a QR code for the camera of a phone: dark on light, on any page. */
export const qrCode = (text: string): string =>
  renderSVG(text, { ecc: 'M', border: 4 }).replace(
    '<svg ',
    '<svg class="qr" role="img" aria-label="QR code" ',
  )
