using System.Globalization;
using Loxo.Commands;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Copy;

/// <summary>The text of a COPY, read and checked before it is sent.</summary>
/// <param name="source">The statement as the classifier knows it.</param>
/// <param name="request">What is sent.</param>
internal sealed class CopyStatement(SqlStatement source, CopyRequest request)
{
    /// <summary>Whether stopping it loses nothing: it copies a table, or a query that changes nothing, to the client.</summary>
    public bool MayBeStopped { get; private init; }

    /// <summary>Reads a text.</summary>
    /// <exception cref="ArgumentException">It is not one COPY of that kind.</exception>
    public static CopyStatement Parse(PgConnection connection, ServerSession session, string sql, CopyKind kind)
    {
        ArgumentNullException.ThrowIfNull(sql);
        var conforming = session.Parameters.StandardConformingStrings;
        var statements = connection.SqlTexts.Get(sql, conforming).Statements;
        if (statements.Length != 1 || !SqlCopy.IsCopy(statements[0].Source, conforming))
            throw CopyErrors.NotCopy(nameof(sql), kind);
        var source = statements[0];
        // A statement that is not understood is for the server to judge.
        var copy = SqlCopy.Parse(source.Source, conforming);
        if (copy is { IsClient: false })
            throw CopyErrors.NotCopy(nameof(sql), kind);
        if (copy is not null && kind != CopyKind.RawBinary && copy.IsFrom != IsImport(kind))
            throw CopyErrors.WrongDirection(nameof(sql), kind);
        if (source.CertainChange != SqlCertainChange.None && session.Context.Settings.Pooler != Pooler.None)
            PoolerRules.Check(source.CertainChange, session);
        var request = new CopyRequest(source.Source, source.Start, copy?.Table, copy?.Columns ?? [], copy?.Query,
            Imports: copy?.IsFrom ?? IsImport(kind), InPieces: kind is not (CopyKind.BinaryImport or CopyKind.BinaryExport));
        return new CopyStatement(source, request)
        {
            MayBeStopped = copy is { IsFrom: false } && source.Changes == SqlChanges.None && !session.Effects.MayHideChanges
                && (copy.Query is null || SqlWords.BeginsWithAny(copy.Query.AsSpan().TrimStart(), "select", "values", "table")),
        };
    }

    /// <summary>Writes the first flight; the session has been claimed.</summary>
    public static CopyExchange Start(ServerSession session, CopyStatement statement)
    {
        var exchange = CopyExchange.Start(session, statement.Request);
        session.Record?.Add(statement.Request.Sql);
        StatementChanges.Add(session, statement.Source);
        return exchange;
    }

    /// <summary>Whether the server copies as the caller wants it to.</summary>
    public static bool Fits(CopyKind kind, CopyExchange exchange) => kind switch
    {
        CopyKind.RawBinary => exchange.IsBinary,
        CopyKind.BinaryImport or CopyKind.TextImport =>
            exchange.IsCopyingIn && exchange.IsBinary == (kind == CopyKind.BinaryImport),
        _ => exchange.IsCopyingOut && exchange.IsBinary == (kind == CopyKind.BinaryExport),
    };

    /// <summary>A stop was requested before anything was copied, and came too late to keep the COPY from starting.</summary>
    public static Exception Stopped(StopReason reason, CancellationToken token) =>
        SessionErrors.StoppedEarly(reason, "The COPY", "before anything was copied. The connection can be used.", token);

    /// <summary>The zero-based row that an error of an import names in its context (CopyFromErrorCallback, copyfrom.c).</summary>
    public static long? RowOf(ServerErrorFields error, CopyKind kind)
    {
        const string Line = ", line ";
        if (kind != CopyKind.BinaryImport || error.Where is not { } where)
            return null;
        var first = where.AsSpan();
        first = first[..(first.IndexOf('\n') is >= 0 and var end ? end : first.Length)];
        if (!first.StartsWith("COPY ") || first.LastIndexOf(Line) is not (>= 0 and var at))
            return null;
        var digits = first[(at + Line.Length)..];
        digits = digits[..(digits.IndexOfAnyExceptInRange('0', '9') is >= 0 and var last ? last : digits.Length)];
        return long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var line) ? line - 1 : null;
    }

    private SqlStatement Source => source;

    private CopyRequest Request => request;

    private static bool IsImport(CopyKind kind) => kind is CopyKind.BinaryImport or CopyKind.TextImport;
}
