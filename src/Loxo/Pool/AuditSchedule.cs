using Loxo.Session;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;
internal sealed class AuditSchedule(SessionContext context, ILogger log) // STUB
{
    public bool IsClean => false;
    public bool IsDue(SessionMarks marks) => false;
    public void Write(ServerSession session) { _ = context; _ = log; }
}
