/** Standard Base64 with padding; of no byte as well. Source: RFC 4648, section 4 */
export const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
