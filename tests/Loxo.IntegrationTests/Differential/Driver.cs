using System.Data.Common;
using Npgsql;
using NpgsqlTypes;

namespace Loxo.IntegrationTests.Differential;

/// <summary>One of the two drivers: what the classes of System.Data.Common cannot create. The rest is called by name.</summary>
internal abstract class Driver
{
    public static Driver Npgsql { get; } = new NpgsqlDriver();

    public static Driver Loxo { get; } = new LoxoDriver();

    /// <summary>Lower case: part of the name of the driver's database.</summary>
    public abstract string Name { get; }

    public abstract DbConnection Connection(string connectionString);

    public abstract DbDataSource DataSource(string connectionString);

    public abstract DbParameter Parameter();

    /// <summary>A parameter of the generic class, with its typed value.</summary>
    public abstract DbParameter Parameter<T>(T value);

    public abstract object Range<T>(T lower, T upper)
        where T : struct, IComparable<T>;

    public abstract object Interval(int months, int days, long microseconds);

    public abstract void SetType(DbParameter parameter, PgDbType type);

    public abstract void OnNotice(DbConnection connection, Action<string> notice);

    public abstract void ClearPool(DbConnection connection);

    public override string ToString() => Name;

    private sealed class NpgsqlDriver : Driver
    {
        public override string Name => "npgsql";

        public override DbConnection Connection(string connectionString) => new NpgsqlConnection(connectionString);

        public override DbDataSource DataSource(string connectionString) => NpgsqlDataSource.Create(connectionString);

        public override DbParameter Parameter() => new NpgsqlParameter();

        public override DbParameter Parameter<T>(T value) => new NpgsqlParameter<T>("", value);

        public override object Range<T>(T lower, T upper) => new NpgsqlRange<T>(lower, upper);

        public override object Interval(int months, int days, long microseconds) => new NpgsqlInterval(months, days, microseconds);

        // Both enumerations have the same numbers.
        public override void SetType(DbParameter parameter, PgDbType type) => ((NpgsqlParameter)parameter).NpgsqlDbType = (NpgsqlDbType)(int)type;

        public override void ClearPool(DbConnection connection) => NpgsqlConnection.ClearPool((NpgsqlConnection)connection);

        public override void OnNotice(DbConnection connection, Action<string> notice) =>
            ((NpgsqlConnection)connection).Notice += (_, args) => notice(args.Notice.SqlState + " " + args.Notice.MessageText);
    }

    private sealed class LoxoDriver : Driver
    {
        public override string Name => "loxo";

        public override DbConnection Connection(string connectionString) => new PgConnection(connectionString);

        public override DbDataSource DataSource(string connectionString) => PgDataSource.Create(connectionString);

        public override DbParameter Parameter() => new PgParameter();

        public override DbParameter Parameter<T>(T value) => new PgParameter<T>("", value);

        public override object Range<T>(T lower, T upper) => new PgRange<T>(lower, upper);

        public override object Interval(int months, int days, long microseconds) => new PgInterval(months, days, microseconds);

        public override void SetType(DbParameter parameter, PgDbType type) => ((PgParameter)parameter).PgDbType = type;

        public override void ClearPool(DbConnection connection) => PgConnection.ClearPool((PgConnection)connection);

        public override void OnNotice(DbConnection connection, Action<string> notice) =>
            ((PgConnection)connection).Notice += (_, args) => notice(args.Notice.SqlState + " " + args.Notice.MessageText);
    }
}
