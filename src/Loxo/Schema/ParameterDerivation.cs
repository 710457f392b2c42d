using System.Data;
using Loxo.Commands;
using Loxo.Session;
using Loxo.Sql;
using Loxo.Types;

namespace Loxo.Schema;

/// <summary>
/// Gives a command the parameters that its text or routine has: those of a text as the server describes it, those of a procedure or
/// function as pg_proc lists them.
/// </summary>
internal static class ParameterDerivation
{
    private const string Name = "DeriveParameters";

    // A name that stands for several routines, or for none, is the server's error. The fields of a composite result, whose columns the
    // routine does not declare, are output parameters behind the others.
    private const string RoutineSql = $"""
        SELECT coalesce(a.mode::text, 'i'), coalesce(a.name, ''), {NameSql}
        FROM pg_catalog.pg_proc p CROSS JOIN LATERAL (
            SELECT type, name, mode, position
            FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes)
                WITH ORDINALITY AS declared (type, name, mode, position)
            UNION ALL
            SELECT f.atttypid, f.attname, 'o', f.attnum + p.pronargs
            FROM pg_catalog.pg_type r JOIN pg_catalog.pg_attribute f ON f.attrelid = r.typrelid
            WHERE r.oid = p.prorettype AND p.proallargtypes IS NULL AND r.typrelid <> 0 AND f.attnum > 0 AND NOT f.attisdropped
        ) AS a (type, name, mode, position)
        {JoinType}
        WHERE p.oid = $1::text::regproc
        ORDER BY a.position
        """;

    // The name finds the type whatever the search path.
    private const string NameSql = """
        CASE WHEN n.nspname = 'pg_catalog' THEN pg_catalog.format_type(a.type, NULL)
            ELSE pg_catalog.format('%I.%I%s', n.nspname, coalesce(e.typname, t.typname), CASE WHEN e.oid IS NOT NULL THEN '[]' END) END
        """;

    private const string JoinType = """
        JOIN pg_catalog.pg_type t ON t.oid = a.type
        JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
        LEFT JOIN pg_catalog.pg_type e ON e.typarray = t.oid
        """;

    private const string TypeSql = $"""
        SELECT {NameSql} FROM unnest($1) WITH ORDINALITY AS a (type, position) {JoinType} ORDER BY a.position
        """;

    /// <summary>Derives, blocking.</summary>
    public static void Derive(PgCommand command)
    {
        var connection = ConnectionOf(command);
        var found = new List<PgParameter>();
        if (command.CommandType == CommandType.StoredProcedure)
        {
            using var reader = Routine(command).ExecuteReader();
            while (reader.Read())
                found.Add(OfRoutine(reader));
        }
        else
        {
            var types = new DerivedTypes();
            foreach (var statement in Statements(command, OwnSession.Of(connection, PgOwnSessionReason.Other, Name)))
            {
                var session = OwnSession.Of(connection, PgOwnSessionReason.Other, Name);
                var lookup = session.Begin(connection, Ask, statement.Sql);
                session.Pump(lookup, Timeout(command));
                types.Add(statement, End(connection, session, lookup, CancellationToken.None));
            }
            using var reader = TypeNames(connection, types).ExecuteReader();
            while (reader.Read())
                found.Add(types.Parameter(found.Count, reader.GetString(0)));
        }
        if (OwnSession.Of(connection, PgOwnSessionReason.Other, Name) is var names && Unknown(names, found) is { Count: > 0 } unknown)
        {
            var lookup = names.Begin(connection, AskTypes, unknown);
            names.Pump(lookup, Timeout(command));
            Finish(connection, names, null, CancellationToken.None);
        }
        Fill(command, found);
    }

    /// <inheritdoc cref="Derive"/>
    public static async Task DeriveAsync(PgCommand command, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var connection = ConnectionOf(command);
        await OwnSession.BindAsync(connection, PgOwnSessionReason.Other, Name, token).ConfigureAwait(false);
        var found = new List<PgParameter>();
        if (command.CommandType == CommandType.StoredProcedure)
        {
            var reader = await Routine(command).ExecuteReaderAsync(token).ConfigureAwait(false);
            await using var closing = reader.ConfigureAwait(false);
            while (await reader.ReadAsync(token).ConfigureAwait(false))
                found.Add(OfRoutine(reader));
        }
        else
        {
            var types = new DerivedTypes();
            foreach (var statement in Statements(command, OwnSession.Of(connection, PgOwnSessionReason.Other, Name)))
            {
                await OwnSession.BindAsync(connection, PgOwnSessionReason.Other, Name, token).ConfigureAwait(false);
                var session = OwnSession.Of(connection, PgOwnSessionReason.Other, Name);
                var lookup = await session.BeginAsync(
                    connection, Ask, statement.Sql).ConfigureAwait(false);
                await session.PumpAsync(lookup, Timeout(command), token).ConfigureAwait(false);
                types.Add(statement, End(connection, session, lookup, token));
            }
            await OwnSession.BindAsync(connection, PgOwnSessionReason.Other, Name, token).ConfigureAwait(false);
            var reader = await TypeNames(connection, types).ExecuteReaderAsync(token).ConfigureAwait(false);
            await using var closing = reader.ConfigureAwait(false);
            while (await reader.ReadAsync(token).ConfigureAwait(false))
                found.Add(types.Parameter(found.Count, reader.GetString(0)));
        }
        await OwnSession.BindAsync(connection, PgOwnSessionReason.Other, Name, token).ConfigureAwait(false);
        if (OwnSession.Of(connection, PgOwnSessionReason.Other, Name) is var names && Unknown(names, found) is { Count: > 0 } unknown)
        {
            var lookup = await names.BeginAsync(connection, AskTypes, unknown).ConfigureAwait(false);
            await names.PumpAsync(lookup, Timeout(command), token).ConfigureAwait(false);
            Finish(connection, names, null, token);
        }
        Fill(command, found);
    }

    private static PgConnection ConnectionOf(PgCommand command)
    {
        if (command.Connection is not { State: ConnectionState.Open } connection)
            throw new InvalidOperationException("DeriveParameters needs a command with an open connection.");
        if (command.CommandType == CommandType.TableDirect)
            throw new NotSupportedException("A command of type TableDirect has no parameters.");
        return command.CommandText.Length > 0
            ? connection
            : throw new InvalidOperationException("The command has no text: set CommandText.");
    }

    private static int Timeout(PgCommand command) => ((IExecutable)command).TimeoutMilliseconds;

    private static PgCommand Routine(PgCommand command)
    {
        var query = new PgCommand(RoutineSql, command.Connection) { AutoPrepare = false };
        query.Parameters.Add(new PgParameter(null, command.CommandText.Trim()));
        return query;
    }

    private static PgCommand TypeNames(PgConnection connection, DerivedTypes types)
    {
        var query = new PgCommand(TypeSql, connection) { AutoPrepare = false };
        query.Parameters.Add(new PgParameter { DataTypeName = "oid[]", Value = types.Types });
        return query;
    }

    private static PgParameter OfRoutine(PgDataReader row) => new()
    {
        ParameterName = row.GetString(1),
        DataTypeName = row.GetString(2),
        Direction = row.GetString(0) switch
        {
            "i" => ParameterDirection.Input,
            "b" => ParameterDirection.InputOutput,
            "v" => throw new NotSupportedException(
                "The routine is VARIADIC: how many parameters it takes is up to the caller, so they cannot be derived."),
            _ => ParameterDirection.Output,
        },
    };

    private static SqlStatement[] Statements(PgCommand command, ServerSession session) =>
        command.Connection!.SqlTexts.Get(command.CommandText, session.Parameters.StandardConformingStrings).Statements.ToArray();

    private static ColumnLookup Ask(ServerSession session, string sql)
    {
        var lookup = new ColumnLookup(session, sql, []);
        session.Wire.Enqueue(lookup);
        return lookup;
    }

    // The types that the driver has not met yet. Without a catalogue they stay unknown.
    private static List<TypeName> Unknown(ServerSession session, List<PgParameter> parameters) => !session.Types.CanLookUp ? [] :
    [
        .. parameters.Where(parameter => TypeOf(parameter, session) is null)
            .Select(parameter => TypeName.Parse(parameter.DataTypeName!) with { IsArray = false }).Distinct(),
    ];

    private static TypeLookup AskTypes(ServerSession session, List<TypeName> names)
    {
        var lookup = new TypeLookup(session, session.TransactionStatus, [], names);
        session.Wire.Enqueue(lookup);
        return lookup;
    }

    private static uint[] End(PgConnection connection, ServerSession session, ColumnLookup lookup, CancellationToken token)
    {
        Finish(connection, session, lookup.Error, token);
        return lookup.ParameterTypes;
    }

    private static void Finish(PgConnection connection, ServerSession session, ServerErrorFields? fields, CancellationToken token)
    {
        var error = fields is null ? null : CommandRunner.ErrorOf(session, fields, session.StopReason, token);
        session.End();
        connection.CommandEnded();
        if (error is not null)
            throw error;
    }

    private static TypeEntry? TypeOf(PgParameter parameter, ServerSession session) =>
        parameter.DataTypeName is { } name
            ? session.Types.Known.BuiltIn.Find(name) ?? session.Types.Known.Find(TypeName.Parse(name))
            : null;

    private static void Fill(PgCommand command, List<PgParameter> parameters)
    {
        var session = OwnSession.Of(command.Connection!, PgOwnSessionReason.Other, Name);
        command.Parameters.Clear();
        foreach (var parameter in parameters)
        {
            if (TypeOf(parameter, session) is { } type)
                parameter.Derive(PostgresTypeModel.Of(type, type.Oid, session.Types.Known));
            command.Parameters.Add(parameter);
        }
    }

    /// <summary>The parameters of a text's statements: one for each name, or for each number.</summary>
    private sealed class DerivedTypes
    {
        private readonly List<(string Name, uint Type)> _parameters = [];

        public uint[] Types => [.. _parameters.Select(parameter => parameter.Type)];

        public void Add(SqlStatement statement, uint[] types)
        {
            for (var i = 0; i < types.Length; i++)
            {
                var name = statement.ParameterNames.Length == 0 ? "" : statement.ParameterNames[i];
                var known = name.Length == 0
                    ? -1
                    : _parameters.FindIndex(parameter => parameter.Name.Equals(name, StringComparison.OrdinalIgnoreCase));
                if (known < 0)
                    _parameters.Add((name, types[i]));
                else if (_parameters[known].Type != types[i])
                    throw new InvalidOperationException($"The parameter '{name}' has different types in different statements: cast it, or "
                        + "use another name in one of them.");
            }
        }

        public PgParameter Parameter(int index, string type) =>
            new() { ParameterName = _parameters[index].Name, DataTypeName = type };
    }
}
