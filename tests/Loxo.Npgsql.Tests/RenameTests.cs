namespace Loxo.MigrationTests;

/// <summary>The code fix writes Loxo's names wherever a name of Npgsql's stands, and nowhere else.</summary>
public sealed class RenameTests
{
    [TestCase("class C { Npgsql.NpgsqlConnection? F; }", "class C { Loxo.PgConnection? F; }")]
    [TestCase("class C { global::Npgsql.NpgsqlConnection? F; }", "class C { global::Loxo.PgConnection? F; }")]
    [TestCase("class C { NpgsqlTypes.NpgsqlRange<NpgsqlTypes.NpgsqlPoint> F; }", "class C { Loxo.PgRange<Loxo.PgPoint> F; }")]
    [TestCase("class C { Npgsql.NameTranslation.NpgsqlNullNameTranslator? F; }", "class C { Loxo.PgNullNameTranslator? F; }")]
    [TestCase("class C { Npgsql.PostgresTypes.PostgresType? F; }", "class C { Loxo.PostgresType? F; }")]
    [TestCase("class C { object F = new Npgsql.NpgsqlParameter<int>(); }", "class C { object F = new Loxo.PgParameter<int>(); }")]
    [TestCase("class C { string F = nameof(Npgsql.NpgsqlCommand); }", "class C { string F = nameof(Loxo.PgCommand); }")]
    [TestCase("class C { Type F = typeof(Npgsql.NpgsqlParameter<>); }", "class C { Type F = typeof(Loxo.PgParameter<>); }")]
    [TestCase("class C { object F = Npgsql.NpgsqlFactory.Instance; }", "class C { object F = Loxo.PgFactory.Instance; }")]
    public Task A_qualified_name_is_renamed(string before, string after) => Check(before, after);

    [TestCase("using N = Npgsql;\nclass C { N.NpgsqlConnection? F; }", "using N = Loxo;\nclass C { N.PgConnection? F; }")]
    [TestCase("using N = Npgsql;\nclass C { N.NameTranslation.NpgsqlNullNameTranslator? F; }", "using N = Loxo;\nclass C { N.PgNullNameTranslator? F; }")]
    [TestCase("using T = NpgsqlTypes;\nclass C { T::NpgsqlPoint F; }", "using T = Loxo;\nclass C { T::PgPoint F; }")]
    [TestCase("using Db = Npgsql.NpgsqlConnection;\nclass C { Db? F; }", "using Db = Loxo.PgConnection;\nclass C { Db? F; }")]
    [TestCase("using NpgsqlConnection = Npgsql.NpgsqlConnection;\nclass C { NpgsqlConnection? F; }",
        "using NpgsqlConnection = Loxo.PgConnection;\nclass C { NpgsqlConnection? F; }")]
    [TestCase("using Pair = (Npgsql.NpgsqlConnection A, int B);\nclass C { Pair F; }", "using Pair = (Loxo.PgConnection A, int B);\nclass C { Pair F; }")]
    [TestCase("using static Npgsql.NpgsqlConnection;\nclass C { void M() => ClearAllPools(); }",
        "using static Loxo.PgConnection;\nclass C { void M() => ClearAllPools(); }")]
    [TestCase("using static NpgsqlTypes.NpgsqlDbType;\nclass C { object F = Jsonb; }", "using static Loxo.PgDbType;\nclass C { object F = Jsonb; }")]
    public Task An_alias_and_a_static_using_are_renamed(string before, string after) => Check(before, after);

    [TestCase("object F = new NpgsqlParameter { NpgsqlDbType = NpgsqlDbType.Jsonb };", "object F = new PgParameter { PgDbType = PgDbType.Jsonb };")]
    [TestCase("NpgsqlDbType M(NpgsqlParameter p) => p.NpgsqlDbType;", "PgDbType M(PgParameter p) => p.PgDbType;")]
    [TestCase("object? M(NpgsqlParameter? p) => p?.NpgsqlValue;", "object? M(PgParameter? p) => p?.PgValue;")]
    [TestCase("bool M(object p) => p is NpgsqlParameter { NpgsqlDbType: NpgsqlDbType.Text or NpgsqlDbType.Json };",
        "bool M(object p) => p is PgParameter { PgDbType: PgDbType.Text or PgDbType.Json };")]
    [TestCase("string F = nameof(NpgsqlParameter.NpgsqlDbType);", "string F = nameof(PgParameter.PgDbType);")]
    [TestCase("Dictionary<string, List<NpgsqlRange<int>[]>> F = [];", "Dictionary<string, List<PgRange<int>[]>> F = [];")]
    [TestCase("void M<T>() where T : INpgsqlNameTranslator { }", "void M<T>() where T : IPgNameTranslator { }")]
    [TestCase("NpgsqlParameter F = new(parameterName: \"a\", parameterType: NpgsqlDbType.Text);",
        "PgParameter F = new(parameterName: \"a\", parameterType: PgDbType.Text);")]
    [TestCase("void M(NpgsqlTransaction t) => t.Save(name: \"a\");", "void M(PgTransaction t) => t.Save(savepointName: \"a\");")]
    [TestCase("object M(NpgsqlParameter p) => new { p.NpgsqlDbType, p.Value };", "object M(PgParameter p) => new { NpgsqlDbType = p.PgDbType, p.Value };")]
    [TestCase("object M(NpgsqlParameter p) { var t = (p.NpgsqlDbType, 1); return t.NpgsqlDbType; }",
        "object M(PgParameter p) { var t = (NpgsqlDbType: p.PgDbType, 1); return t.NpgsqlDbType; }")]
    [TestCase("void M() { var c = new NpgsqlConnection(); c.Open(); }", "void M() { var c = new PgConnection(); c.Open(); }")]
    [TestCase("PostgresException? F; string G = PostgresErrorCodes.UniqueViolation;", "PostgresException? F; string G = PostgresErrorCodes.UniqueViolation;")]
    public Task A_name_is_renamed_where_it_is_used(string before, string after) => Check(
        $"using Npgsql;\nusing NpgsqlTypes;\n\nclass C\n{{\n    {before}\n}}\n", $"using Loxo;\n\nclass C\n{{\n    {after}\n}}\n");

    [TestCase("/// <summary>See <see cref=\"NpgsqlConnection\"/>.</summary>", "/// <summary>See <see cref=\"PgConnection\"/>.</summary>")]
    [TestCase("/// <seealso cref=\"Npgsql.NpgsqlConnection.Open()\"/>", "/// <seealso cref=\"Loxo.PgConnection.Open()\"/>")]
    [TestCase("/// <seealso cref=\"NpgsqlRange{T}\"/>", "/// <seealso cref=\"PgRange{T}\"/>")]
    [TestCase("/// <seealso cref=\"NpgsqlParameter.NpgsqlDbType\"/>", "/// <seealso cref=\"PgParameter.PgDbType\"/>")]
    [TestCase("/// <seealso cref=\"NpgsqlCommand.NpgsqlCommand(string, NpgsqlConnection)\"/>",
        "/// <seealso cref=\"PgCommand.PgCommand(string, PgConnection)\"/>")]
    public Task A_reference_of_a_documentation_comment_is_renamed(string before, string after) => Check(
        $"using Npgsql;\nusing NpgsqlTypes;\n\n{before}\nclass C\n{{\n    {before}\n    NpgsqlConnection? F;\n}}\n",
        $"using Loxo;\n\n{after}\nclass C\n{{\n    {after}\n    PgConnection? F;\n}}\n");

    [TestCase("class MyNpgsqlHelper { MyNpgsqlHelper? Npgsql; }")]
    [TestCase("namespace Npgsql.Shop { class NpgsqlConnection { } }")]
    [TestCase("class C { string F = \"Npgsql.NpgsqlConnection\"; string G = \"NpgsqlDbType\"; }")]
    [TestCase("// NpgsqlConnection, in a comment\nclass C { int npgsqlConnection; void M(int NpgsqlDbType) => NpgsqlDbType++; }")]
    [TestCase("class NpgsqlConnection { NpgsqlConnection? NpgsqlDbType; string F = nameof(NpgsqlDbType); }")]
    [TestCase("class C { object NpgsqlDbType = new { NpgsqlDbType = 1 }; }")]
    public Task What_is_not_of_Npgsql_stays(string source) => Check(source, source);

    [Test]
    public Task A_class_of_the_project_keeps_its_name_and_its_base_is_renamed() => Check(
        "using Npgsql;\n\nclass MyNpgsqlHelper(NpgsqlDataSource source)\n{\n    public NpgsqlConnection NpgsqlOpen() => source.OpenConnection();\n}\n",
        "using Loxo;\n\nclass MyNpgsqlHelper(PgDataSource source)\n{\n    public PgConnection NpgsqlOpen() => source.OpenConnection();\n}\n");

    [Test]
    public async Task What_is_migrated_has_nothing_left_to_migrate()
    {
        var after = await Migration.Fix("using Npgsql;\nclass C { NpgsqlConnection? F; }");

        Assert.That(await Migration.Diagnose(Migration.Project(Migration.BothDrivers, ("Source.cs", after))), Is.Empty);
    }

    private static async Task Check(string before, string after)
    {
        Assert.That(await Migration.Errors(Migration.Project(Migration.BothDrivers, ("Source.cs", before))), Is.Empty);

        var fixedSource = await Migration.Fix(before);

        Assert.That(fixedSource, Is.EqualTo(after));
        Assert.That(await Migration.Errors(Migration.Project([.. References.Platform, .. References.Loxo, References.Of(typeof(Npgsql.NpgsqlConnection))],
            ("Source.cs", fixedSource))), Is.Empty);
    }
}
