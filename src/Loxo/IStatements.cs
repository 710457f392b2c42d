using System.Data;
using Loxo.Session;

namespace Loxo;

/// <summary>Statements that can be written into a session's query.</summary>
internal interface IStatements
{
    /// <summary>Adds them all; the Sync at the end is not theirs.</summary>
    void Write(ServerSession session, CommandBehavior behavior);
}
